"""The part of a mutation run that runs in the sandbox, with the interpreter of the project under test.

It imports the standard library, and pytest of that environment. It runs on Python 3.8.
"""
