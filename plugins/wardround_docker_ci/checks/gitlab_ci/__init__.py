"""Rules about GitLab CI pipelines."""
