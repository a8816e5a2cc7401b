"""The contract specialist's own checks: a folder for each topic, a file for each rule."""
