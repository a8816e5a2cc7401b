"""Rules about transactions, triggers and error handling."""
