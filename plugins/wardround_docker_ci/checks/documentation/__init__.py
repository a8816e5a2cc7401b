"""Rules about names and comments that contradict the steps."""
