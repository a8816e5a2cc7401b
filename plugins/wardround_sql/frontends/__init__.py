"""SQL found in other languages."""
