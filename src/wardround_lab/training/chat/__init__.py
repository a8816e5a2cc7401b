"""Training, export and evaluation of decoders that answer a request: ``kind: chat`` in a recipe."""
