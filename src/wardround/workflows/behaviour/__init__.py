"""The comparison of what functions return before and after a change, on the inputs of the tests."""
