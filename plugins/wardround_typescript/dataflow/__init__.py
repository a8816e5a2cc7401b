"""Taint analysis of scripts: tainted values, sanitizers, and the sinks they reach.

``file_analysis`` is the entry; ``program_analysis`` follows values through a module and one step into the
modules it imports. ``function_analysis`` composes the evaluators of the syntax, which share a ``FlowState``.
``sources``, ``sinks`` and ``sanitizers`` are the catalogues of names; ``validation_schemas`` models schemas.
"""
