"""The programs that run in the sandbox, under the interpreter of the project instead of that of wardround.

``sessions`` runs tests, ``mutants`` runs tests of edited lines, ``behaviour`` records and repeats calls,
``builds`` builds wheels, and ``candidates`` validates edits. The modules of this folder serve several of
them.

Rules of these modules:
- They run on Python 3.8 and later, ``behaviour`` and ``candidates`` on 3.9 and later, and postpone
  annotations.
- They import the standard library, one another relatively, and packages of the environment of the project:
  ``pytest`` (``candidates`` its parts, too) and ``coverage``. ``behaviour`` imports ``cloudpickle``, which is
  copied next to this package.
- They import nothing else of wardround, and wardround imports none of them: it passes and reads JSON.
- They may change the state of their process.

``wardround.workflows.inner_program`` makes the package visible and starts a program. Its parent folder is not
on the path of imports of the project.
"""
