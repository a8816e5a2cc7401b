"""Suggested fixes of the Python checks."""
