"""Rules about removed definitions and changed signatures."""
