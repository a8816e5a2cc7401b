"""Workflows that run code of the repository under review, on top of its context."""
