"""Rules about code that runs when a project is installed."""
