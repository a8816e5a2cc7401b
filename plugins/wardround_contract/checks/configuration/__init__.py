"""Rules about options, variables, scripts and keys."""
