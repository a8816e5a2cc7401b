"""The plan of ``wardround init``: files to create or change in a repository."""
