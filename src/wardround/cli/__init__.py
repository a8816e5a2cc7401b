"""The command line: one module for each command.

``process`` owns the process, ``commands`` the group and the exit statuses. Nothing is imported here: the
process is set up before the first import that takes time.
"""
