"""Mutations of changed lines of Python functions: small edits that the tests of the change should notice."""
