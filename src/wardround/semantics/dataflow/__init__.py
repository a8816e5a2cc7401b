"""Taint analysis, as far as it is the same for every language.

Sources, sinks and sanitizers are data of each language (``wardround_rules/dataflow/<language>``); how the
nodes of a language transfer taint is code of its plugin.
"""
