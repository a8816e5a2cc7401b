"""Commands of a repository, run on a tree of their own without access to the user's files, network or
processes.
"""
