"""Rules about docstrings, comments, messages and documentation that contradict the code."""
