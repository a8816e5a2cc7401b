"""The assignment of a review: the change with its settings, and which specialist reviews which file of it."""
