"""Rules about tests that depend on time, order, network or rounding."""
