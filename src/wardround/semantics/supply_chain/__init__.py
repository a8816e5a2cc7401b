"""Dependencies, lock files and install scripts: both sides of a change compared, by their texts alone."""
