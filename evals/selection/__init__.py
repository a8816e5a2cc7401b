"""Checkouts, outcomes of tests, and other selections, for the measurement of test selection."""
