"""Rules about functions, methods and those who call them."""
