"""The page of a run: its table, plots, and the sequences to read."""
