"""Groups of similar lines, and the one whose names do not correspond as in the others."""
