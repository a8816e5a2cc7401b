"""Rules about Jenkins pipelines."""
