"""Instances: tasks of real repositories with the patch that solved them and the tests that judge it."""
