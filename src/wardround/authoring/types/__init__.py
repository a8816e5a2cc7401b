"""Type annotations for public functions without them, each with its evidence and accepted by a type checker."""
