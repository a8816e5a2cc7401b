"""Programs that run in the sandbox, in the interpreter of the project, with nothing else of wardround.

They are copied to a folder of their own, import one another relatively, and run on Python 3.9 and later.
"""
