"""Stages of the lab alone, contributed through the same hooks as others."""
