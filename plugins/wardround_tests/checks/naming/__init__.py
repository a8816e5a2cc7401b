"""Rules about names of tests that contradict the tests."""
