"""Facts about queries."""
