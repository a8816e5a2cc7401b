"""Which code a text is about: hunks of a change, files and functions of a tree.

``hunks.rank`` binds a message, ticket or criterion to hunks, ``files.locate`` finds the files and functions
of a report. Both weigh cheap evidence (words, what earlier commits said and touched) and, where there is an
embedder, its opinion. What they give is the most likely evidence, never a verdict. ``evals/binding.py``
fits the weights and measures, on other repositories, what the order is worth with and without the model.
"""
