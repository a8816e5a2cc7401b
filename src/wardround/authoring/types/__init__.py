"""Type annotations for public functions that lack them, with evidence, accepted by a type checker."""
