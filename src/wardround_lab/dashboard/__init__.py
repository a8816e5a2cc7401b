"""The dashboard: pages over the stores that the commands write; it has no state of its own."""
