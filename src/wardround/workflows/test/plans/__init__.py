"""The plan of a run: the tests that a change can affect, and why."""
