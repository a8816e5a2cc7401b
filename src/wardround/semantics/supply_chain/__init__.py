"""Dependencies, lock files and install scripts: a comparison of base and head by file content only."""
