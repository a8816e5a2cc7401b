"""Runs of tests of mutants, each until the first failure."""
