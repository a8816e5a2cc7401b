"""Rules about the announcement of changes to users."""
