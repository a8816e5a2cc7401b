"""Parsers of languages, with positions, for plugins."""
