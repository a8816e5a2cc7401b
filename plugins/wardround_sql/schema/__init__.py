"""The schema that statements build."""
