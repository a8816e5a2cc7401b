"""Where data from outside goes: sources, what makes it harmless, and the places it must not reach.

``flow`` follows values through one module; ``sources`` says where strangers' data comes in, ``sinks`` where
it does harm, ``cleansing`` what takes a danger away. What is certain of a value (``known``) is worked out by
``folding``, kept entry by entry in ``tables``, and taken into short functions by ``walks``.
"""
