"""Training tasks that no language owns."""
