"""A review in a CI system: the event that started it, the commits it names, and where the reports go."""
