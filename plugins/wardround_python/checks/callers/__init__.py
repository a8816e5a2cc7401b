"""Rules about functions and those who call them: arguments, results, signatures."""
