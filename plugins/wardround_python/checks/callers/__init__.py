"""Rules about functions and their callers: arguments, results, signatures."""
