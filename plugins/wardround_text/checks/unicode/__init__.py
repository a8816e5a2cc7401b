"""Rules about characters and encodings that hide what a text contains."""
