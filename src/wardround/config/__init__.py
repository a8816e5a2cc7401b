"""Configuration: its schema, its files, and the request of one review."""
