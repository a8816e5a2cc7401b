"""Release notes of a range of commits: statements that each name the commits which are their evidence."""
