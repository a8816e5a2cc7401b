"""Facts about the project that contains a file."""
