"""Rules about GROUP BY, aggregates and window functions."""
