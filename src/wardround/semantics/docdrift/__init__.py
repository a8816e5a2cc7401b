"""Words against code: does what the words about some code say still agree with it, after a change.

Nothing here knows a language. A plugin parses a documented callable before and after the change into a
``documented.DocumentedChange``; what is said about parameters (``parameters``), what is counted
(``features``) and which phrase can be quoted (``quoting``) is the same for all of them. ``rows`` turns a
repository's past into examples, through the same parsers.
"""
