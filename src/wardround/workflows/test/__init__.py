"""The tests of a repository: the projects that have them, the functions they ran, the tests of a change."""
