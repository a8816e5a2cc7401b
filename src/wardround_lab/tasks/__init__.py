"""Training tasks that are not specific to a language."""
