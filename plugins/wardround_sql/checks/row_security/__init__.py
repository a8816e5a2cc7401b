"""Rules about row-level security and its policies."""
