"""Rules about pipelines of any CI system."""
