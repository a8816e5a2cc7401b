"""The search for the tests of a change."""
