"""How well a model answers narrow questions, measured on cases whose answers are known."""
