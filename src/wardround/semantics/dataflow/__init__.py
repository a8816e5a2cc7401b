"""Language-independent taint analysis.

Sources, sinks and sanitizers are data of each language (``wardround_rules/dataflow/<language>``); the
transfer functions of a language are code of its plugin.
"""
