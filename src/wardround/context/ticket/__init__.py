"""The ticket of a change: its title and acceptance criteria, fetched once and recorded with the review."""
