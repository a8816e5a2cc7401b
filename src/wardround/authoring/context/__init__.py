"""The context of a task: the code, tests, conventions and documentation that a patch author starts from."""
