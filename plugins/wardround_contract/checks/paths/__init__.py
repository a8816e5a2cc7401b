"""Rules about files and folders that are moved or deleted."""
