"""Checks of our own: their base classes, how they are indexed, loaded and prefiltered."""
