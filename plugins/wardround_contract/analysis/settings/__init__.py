"""The names that configuration and code declare for other files, by kind."""
