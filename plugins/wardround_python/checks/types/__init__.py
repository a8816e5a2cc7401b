"""Rules about types of values, ``None``, classes and regular expressions."""
