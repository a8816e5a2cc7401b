"""Models and their cards; the package ships those that a review or `wardround related` loads."""
