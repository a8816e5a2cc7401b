"""The built-in selections among proposed patches, and the evidence that they select by."""
