"""The description of what is under review, built before anything runs."""
