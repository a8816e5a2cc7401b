"""Training, merging, exporting, measuring and promoting models: the ``train`` extra, never part of a review."""
