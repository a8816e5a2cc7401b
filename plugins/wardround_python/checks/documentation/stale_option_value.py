"""PY014: stale option value."""

from __future__ import annotations

from wardround.checks.cases import change
from wardround.findings import Severity
from wardround.semantics.docdrift.cli_values import StaleValueCheck
from wardround_python.docdrift.cli_adapter import PythonOptionCheck

_THREE, _FIVE = "    default=3,", "    default=5,"


class StaleOptionValue(PythonOptionCheck, StaleValueCheck):
    """A change replaces an option's default or removes a choice, and documentation states the old one.

    The text is the option's own help, or documentation of the program that names the option. Users rely
    on behaviour that no longer exists. Update the text in the same commit.
    """

    ID = "PY014"
    NAME = "stale-option-value"
    SEVERITY = Severity.INFO
    VALID = [
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=3,
                        help="how often (default: 3)",
                    )
                    """,
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=3,
                        type=int,
                        help="how often (default: 3)",
                    )
                    """,
                ),
            },
            others={
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
                "README.md": "",
            },
        ),
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=3,
                        help="how often (default: 3)",
                    )
                    """,
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=5,
                        help="how often (default: 5)",
                    )
                    """,
                ),
            },
            others={
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
                "README.md": "",
            },
        ),
    ]
    INVALID = [
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=3,
                        help="how often (default: 3)",
                    )
                    """,
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=5,
                        «help="how often (default: 3)",»
                    )
                    """,
                ),
            },
            others={
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
                "README.md": "",
            },
        ),
        change(
            {
                "mail/cli.py": (
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=3,
                        help='Defaults to `3`.',
                    )
                    """,
                    """
                    import argparse

                    parser = argparse.ArgumentParser()
                    parser.add_argument(
                        "--tries",
                        default=5,
                        «help='Defaults to `3`.',»
                    )
                    """,
                ),
            },
            others={
                "pyproject.toml": """
                [project.scripts]
                post = "mail.cli:main"
                """,
                "README.md": "",
            },
        ),
    ]
