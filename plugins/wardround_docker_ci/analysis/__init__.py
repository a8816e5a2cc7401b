"""What the checks of this plugin share about code."""
