"""The code that a text is about: hunks of a change, files and functions of a tree.

``hunks.rank`` binds a message, ticket or criterion to hunks, ``files.locate`` finds the files and functions
of a report. Both weight cheap evidence (words, messages and files of earlier commits) and, with an embedder,
its similarity. The results are the most likely evidence, never a verdict. ``evals/binding.py`` fits the
weights and measures the order on other repositories with and without the model.
"""
