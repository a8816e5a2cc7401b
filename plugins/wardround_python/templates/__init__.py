"""HTML templates of Jinja and Django: which files are reviewed, and the checks."""
