"""Detection of secrets."""
