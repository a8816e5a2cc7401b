"""Train, merge, export, evaluate and promote models: the ``train`` extra, never part of a review."""
