"""The judge: the probability that a finding is worth raising, and that it is not wrong."""
