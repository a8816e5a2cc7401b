"""Rules about conditions, loops, branches and unreachable code."""
