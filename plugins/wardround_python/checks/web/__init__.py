"""Rules about web applications: authorization, sessions, headers and request data."""
