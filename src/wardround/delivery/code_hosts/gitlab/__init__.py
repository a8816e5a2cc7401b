"""GitLab, by its REST interface."""
