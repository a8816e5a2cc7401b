"""Reader of YAML with positions."""
