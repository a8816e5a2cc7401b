"""Rules about values that become part of the text of a statement."""
