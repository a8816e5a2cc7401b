"""Comparison of code before and after a change by its meaning."""
