"""Rules about cryptography, tokens, cookies, TLS and file permissions."""
