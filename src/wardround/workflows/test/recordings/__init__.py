"""The recordings of runs: the functions and the lines that each test ran."""
