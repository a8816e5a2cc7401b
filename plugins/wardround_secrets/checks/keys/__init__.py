"""Rules about private keys and cloud keys."""
