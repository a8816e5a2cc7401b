"""Rules about lists, objects, numbers, text and types."""
