"""Taint analysis of Python.

``module_analysis`` runs it for a module, ``analysis`` holds the functions of one with their summaries, and
``function_analysis`` composes the analysis of one function. Sources, sinks and sanitizers that are known by
name are data (``catalogue``); ``domain`` and ``state`` are the taint domain.
"""
