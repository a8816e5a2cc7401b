"""Places where a tool is wrong."""
