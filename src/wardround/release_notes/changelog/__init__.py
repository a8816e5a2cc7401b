"""The comparison of a changelog with the notes of a range."""
