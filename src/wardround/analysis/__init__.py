"""From files to findings: running tools and checks, comparing with the base, merging duplicates."""
