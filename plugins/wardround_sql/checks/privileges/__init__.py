"""Rules about grants, definers, search paths and what an API exposes."""
