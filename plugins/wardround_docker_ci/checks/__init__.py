"""The Docker and CI specialist's own checks, one rule in each file; ``table`` says what each is for."""
