"""Rules about servers, browsers, authorization and exposed data."""
