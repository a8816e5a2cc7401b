"""Rules about routes and style classes."""
