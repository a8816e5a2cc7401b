"""Schema that statements produce."""
