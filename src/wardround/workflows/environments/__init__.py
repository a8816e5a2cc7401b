"""The environments in which the code of a repository runs: interpreters and installed packages."""
