"""Rules about which tests run, and their output."""
