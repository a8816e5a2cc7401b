"""Experiments with the stages between a task and a patch, on instances from the history of repositories."""
