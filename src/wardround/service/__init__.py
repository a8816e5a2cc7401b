"""The HTTP API: accepts changes, reviews them in worker threads and returns the reports of the command line.

Needs the ``serve`` extra. Only ``wardround serve`` imports this package.
"""
