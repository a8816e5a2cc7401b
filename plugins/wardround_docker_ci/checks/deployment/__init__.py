"""Rules about when and after what a deployment runs."""
