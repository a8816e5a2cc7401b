"""Rules about tables and columns."""
