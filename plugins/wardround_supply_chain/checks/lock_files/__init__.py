"""Rules about lock files."""
