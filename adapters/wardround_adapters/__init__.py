"""Models and their cards ship here. None has been promoted yet, so none is in the package."""
