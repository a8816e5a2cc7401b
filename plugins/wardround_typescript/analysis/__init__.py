"""Analyses of code that several checks use."""
