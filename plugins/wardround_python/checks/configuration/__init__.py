"""Rules about settings, environment variables and deployment."""
