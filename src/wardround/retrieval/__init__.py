"""Which code a text is about: hunks of a change, files and functions of a tree.

``hunks.rank`` binds a message, ticket or criterion to hunks, ``files.locate`` finds the files and functions
of a report. Both fuse BM25 over the words of code with, where there is an embedder, a second opinion
from it. What they give is the most likely evidence, never a verdict.
"""
