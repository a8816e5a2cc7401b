"""Rules about locks and table rewrites of migrations."""
