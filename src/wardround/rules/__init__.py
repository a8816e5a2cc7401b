"""Rules: their model, the catalogue, and the maps of tools."""
