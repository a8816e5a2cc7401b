"""Rules about mocks and patches."""
