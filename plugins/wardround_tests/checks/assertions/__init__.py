"""Rules about what a test asserts."""
