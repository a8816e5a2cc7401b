"""Rules about the instructions of a Dockerfile."""
