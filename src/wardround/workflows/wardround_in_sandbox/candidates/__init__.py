"""Observation of tests, and validation of edits of functions by them in one process."""
