"""Tokens, line ends and escaping of text."""
