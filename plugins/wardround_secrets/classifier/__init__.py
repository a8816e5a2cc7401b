"""Literals the patterns leave in doubt: which they are, and what is counted about them for a model.

``literals`` finds them, ``features`` turns one into a row of numbers, ``trigrams`` says how much a text reads
like the words and names of code. A review loads this where a model is lent; ``history`` and ``generated``
are for training alone.
"""
