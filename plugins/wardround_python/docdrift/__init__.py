"""Documentation drift: documentation of this language that no longer matches the code."""
