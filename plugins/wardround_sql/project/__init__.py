"""Facts about the project around a file."""
