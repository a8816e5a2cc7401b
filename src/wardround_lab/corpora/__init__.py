"""Corpora: mining repositories and their history, and auditing training data."""
