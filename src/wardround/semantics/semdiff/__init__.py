"""What a change does to the meaning of code."""
