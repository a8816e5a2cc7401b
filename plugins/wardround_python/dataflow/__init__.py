"""Taint analysis of Python.

``module_analysis`` runs it for a module, ``analysis`` has the functions of one with their summaries,
``function_analysis`` composes the analysis of one function, and ``project`` declares the interfaces between
them. Sources, sinks and sanitizers that are known by name are data (``catalogue``); ``domain`` and ``state``
are the taint domain.
"""
