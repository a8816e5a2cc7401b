"""Rules about state that tests share or do not restore."""
