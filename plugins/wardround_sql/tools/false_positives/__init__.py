"""Results of tools that a migration itself refutes."""
