"""Checks that look at a change as a whole."""
