"""The recording and the repetition of calls."""
