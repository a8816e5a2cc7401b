"""Rules about access tokens and webhook addresses."""
