"""Rules about promises and asynchronous calls."""
