"""Rules about exceptions and how they are handled."""
