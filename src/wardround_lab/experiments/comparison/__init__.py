"""Results of runs: tables with intervals, paired comparisons, and plots."""
