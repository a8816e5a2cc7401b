"""The lines that a test run executed, from coverage files of the work tree."""
