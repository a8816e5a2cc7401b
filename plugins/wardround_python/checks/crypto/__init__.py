"""Rules about cryptography, tokens, secrets and TLS."""
