"""Typed views of the files this specialist reads."""
