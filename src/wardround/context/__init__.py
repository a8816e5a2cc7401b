"""The description of the change under review, built before anything runs."""
