"""Steps from raw results to findings, one file each."""
