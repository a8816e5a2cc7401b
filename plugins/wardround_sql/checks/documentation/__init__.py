"""Rules about comments and documentation that contradict the statements."""
