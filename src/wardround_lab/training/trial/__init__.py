"""A training of seconds on a model and data made on the spot: the whole path without a download."""
