"""Rules about errors and how they are handled."""
