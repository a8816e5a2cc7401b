"""Where data from outside goes: sources, what makes it harmless, and the places it must not reach.

``program`` follows values through a module and one step into the modules it imports; ``sources`` says where
strangers' data comes in, ``sinks`` where it does harm, ``cleansing`` what takes a danger away, ``schemas``
what is known of what a schema let through.
"""
