"""Rules about containers at run time: Compose files and pod settings."""
