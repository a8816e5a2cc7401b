"""Parser of YAML with positions."""
