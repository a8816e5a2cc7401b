"""Rules about lists, dicts, sets, iterators, queries and data frames."""
