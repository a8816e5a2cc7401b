"""Drift between documentation and code after a change.

Language-independent: a plugin parses a documented callable before and after the change into a
``documented.DocumentedChange``; the documentation of parameters (``parameters``), the counted features
(``features``) and the quoted phrase (``quoting``) are the same for all languages. ``rows`` turns a
repository's
history into examples, with the same parsers.
"""
