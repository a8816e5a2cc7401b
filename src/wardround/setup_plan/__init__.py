"""What ``wardround init`` would create or change in a repository."""
