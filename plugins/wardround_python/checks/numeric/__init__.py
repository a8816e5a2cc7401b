"""Rules about numbers, units, dates and times."""
