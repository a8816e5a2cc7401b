"""The six planes: isolated analyses that turn the same evidence into one signal each."""
