"""The run of planned tests in the sandbox."""
