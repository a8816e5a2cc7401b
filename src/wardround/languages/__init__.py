"""Readers of languages, with positions, for plugins."""
