"""Rules about joins."""
