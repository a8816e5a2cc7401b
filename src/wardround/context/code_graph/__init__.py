"""The code graph: symbols of a repository, their uses, and the tests that reach them.

``graph.CodeGraph`` is the interface. The facts of a file depend on its path and content only and are cached
by both; names are resolved across files when a query needs it, against the files of one tree. Results depend
on that tree only, never on what the cache has of others.
"""
