"""The comparison of a change with the intent stated in its messages and its ticket."""
