"""The Python code under test: its files, their functions and statements, and the differences of versions."""
