"""Documentation that no longer matches the code, for this language."""
