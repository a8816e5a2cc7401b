"""Training, merging, exporting, measuring and promoting models: the ``train`` extra, never in a review."""
