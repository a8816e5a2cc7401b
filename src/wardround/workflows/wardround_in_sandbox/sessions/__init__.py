"""Runs of a framework of tests, with events and recorded lines."""
