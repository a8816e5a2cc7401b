from __future__ import annotations

from wardround.findings import Severity
from wardround.rules.cases import change
from wardround.semantics.docdrift.cli_checks import RemovedOptionCheck
from wardround_python.docdrift.cli_adapter import PythonOptionCheck

_TO, _TRIES, _BOX = '"--to"', '"-t", "--tries", type=int', '"--post-box"'


class RemovedOptionInDocs(PythonOptionCheck, RemovedOptionCheck):
    """A change removes a command line option that documentation of the program still names.

    Users who follow the documentation get an error, and a CI step that runs the program fails. Update the
    documentation in the same commit, or keep the option as deprecated.

    An option counts as removed if no code has it as a string of its own any more. In documentation it
    must be part of a command of this program, on a line that names the program, or among other options of
    it; text about older versions is skipped.
    """

    ID = "PY013"
    NAME = "removed-option-in-docs"
    DEFECT_CLASS = "withdrawn-option"
    SEVERITY = Severity.WARN
    VALID = [
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("-t", "--tries", type=int)
                        parser.add_argument("--post-box")
                        return parser
                    """,
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("--post-box")
                        return parser
                    """,
                ),
            },
            others={
                "README.md": """
                # Post

                Posts letters.
                """,
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
            },
        ),
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("-t", "--tries", type=int)
                        parser.add_argument("--post-box")
                        return parser
                    """,
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("--post-box")
                        parser.add_argument("-t", "--tries", type=int)
                        return parser
                    """,
                ),
            },
            others={
                "README.md": """
                # Post

                    post --tries 3 letter.txt
                """,
            },
        ),
    ]
    INVALID = [
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("-t", "--tries", type=int)
                        parser.add_argument("--post-box")
                        return parser
                    """,
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        «parser.add_argument("--to")»
                        parser.add_argument("--post-box")
                        return parser
                    """,
                ),
            },
            others={
                "README.md": """
                # Post

                    post --tries 3 letter.txt
                """,
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
            },
        ),
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        parser.add_argument("--to")
                        parser.add_argument("-t", "--tries", type=int)
                        parser.add_argument("--post-box")
                        return parser
                    """,
                    """
                    import argparse


                    def main():
                        parser = argparse.ArgumentParser()
                        «parser.add_argument("--to")»
                        parser.add_argument("--post-box")
                        return parser
                    """,
                ),
            },
            others={
                "README.md": """
                Run `python -m mail.cli --tries 3`.
                """,
            },
        ),
    ]
