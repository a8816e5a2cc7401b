"""GitHub, by its REST and GraphQL interfaces."""
