"""Rules about migrations and seed files."""
