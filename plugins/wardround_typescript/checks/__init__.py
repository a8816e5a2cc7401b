"""The TypeScript specialist's own checks, one rule in each file."""
