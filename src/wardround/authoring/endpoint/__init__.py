"""Patches and verdicts by a language model: one question each, recorded, redacted and within a budget."""
