"""The analyses of a change besides the findings of specialists, one a file."""
