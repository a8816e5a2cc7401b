"""Models and their cards; the package carries those that a review or `wardround related` asks."""
