"""Rules about passwords and other credentials."""
