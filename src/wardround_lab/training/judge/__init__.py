"""Training of the judge on judged findings."""
