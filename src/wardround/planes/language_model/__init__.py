"""Planes may use a language model: one bounded exchange for each plane, validated, quoted and recorded."""
