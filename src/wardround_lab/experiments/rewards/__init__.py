"""Pseudo-rewards of the stages, measured against the answer of an instance, which no stage gets."""
