"""Rules about secrets in images, logs, artifacts and commands."""
