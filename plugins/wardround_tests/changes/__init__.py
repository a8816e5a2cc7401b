"""Comparison of tests and of their configuration before and after a change."""
