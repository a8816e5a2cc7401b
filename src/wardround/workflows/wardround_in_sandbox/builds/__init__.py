"""Builds of wheels; the program is passed as text, as nothing of wardround is visible to a build."""
