"""Corpora: reading repositories and their history, and looking after what is trained on."""
