"""The projects of a repository that have tests, as their files declare them."""
