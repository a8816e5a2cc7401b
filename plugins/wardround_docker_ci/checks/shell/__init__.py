"""Rules about shell scripts and shell steps."""
