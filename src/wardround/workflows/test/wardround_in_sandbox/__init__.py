"""The part of a run of tests that runs in the sandbox, with the interpreter of the project under test.

It imports the standard library, and pytest and coverage.py of that environment. It runs on Python 3.8.
"""
