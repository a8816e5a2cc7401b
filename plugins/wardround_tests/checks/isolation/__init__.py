"""Rules about state that tests share or leave behind."""
