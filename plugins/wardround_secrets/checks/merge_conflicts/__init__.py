"""Rules about merge conflicts that were committed."""
