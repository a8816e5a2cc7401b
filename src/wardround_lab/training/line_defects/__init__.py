"""Models that judge the lines of a change: which of them is defective, and in what way."""
