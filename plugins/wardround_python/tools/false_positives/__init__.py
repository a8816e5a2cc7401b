"""Known false positives of tools."""
