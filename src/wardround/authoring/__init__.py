"""From a task to a reviewed patch: localization, generation and selection, and the loop around them.

The generator proposes; tests, static analysis, type checks and people decide. ``stages`` has the three
protocols, ``loop`` the sequence of the steps, ``steps`` one module for each step.
"""
