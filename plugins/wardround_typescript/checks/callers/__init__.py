"""Rules about functions, methods and their callers."""
