"""Rules about conditions, limits and writes of queries."""
