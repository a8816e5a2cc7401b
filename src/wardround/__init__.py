"""wardround: specialist reviewers for every commit.

Importing this package loads no plugin and nothing heavy; start at ``wardround.review`` for the review
itself and at ``wardround.hookspecs`` to write a plugin.
"""

__version__ = "0.3.0"
