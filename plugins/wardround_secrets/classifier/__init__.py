"""Ambiguous literals, which the patterns cannot classify, and their features for a model.

``candidates`` finds them, ``features`` converts one into a row of numbers, and ``trigrams`` measures the
similarity of a string to the words and names of code. A review loads these modules where a model is
available; ``history`` and ``synthetic_secrets`` are for training only.
"""
