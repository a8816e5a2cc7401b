"""Rules about GitHub Actions workflows."""
