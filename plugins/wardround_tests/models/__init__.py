"""Typed views of the files that this specialist reads."""
