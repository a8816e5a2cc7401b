"""Suggested fixes: edits applied to text, and written to index and work tree without losing anything."""
