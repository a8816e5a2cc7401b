"""The parser of docstrings in all usual styles."""

from __future__ import annotations

import inspect

import pytest
from wardround_python.docdrift.docstring_parser import comment_of_docstring

from wardround.semantics.docdrift.model import Style

GOOGLE = """Send a text.

    Args:
        to (str, optional): who gets it,
            and who else: everybody
        *rest: more
        **options: `tries`: how often

    Returns:
        The number of
        letters.

    Raises:
        LookupError: nobody is there
    """
NUMPY = """Send a text.

    Parameters
    ----------
    to : str
        Who gets it.
    x, y : int
        Where: here.
    *rest
        More.

    Returns
    -------
    int
        How many.
    """
SPHINX = """Send a text.

    :param to: who gets it
    :param str text: what is sent,
        in one line
    :type to: str
    :keyword tries: how often
    :raises mail.Lost: it is lost
    :return: how many
    :rtype: int
    """
EPYDOC = """Send.

    @param to: who
    @raise Lost: it is lost
    """


@pytest.mark.parametrize(
    ("docstring", "style", "parameters"),
    [
        (GOOGLE, Style.GOOGLE, ["to", "rest", "options"]),
        (NUMPY, Style.NUMPY, ["to", "x", "y", "rest"]),
        (SPHINX, Style.SPHINX, ["to", "text", "tries"]),
        (EPYDOC, Style.SPHINX, ["to"]),
        ("Send it.\n\nNote:\n    to: who", Style.PLAIN, []),
        ("Parameters are bad", Style.PLAIN, []),
        ("", Style.PLAIN, []),
    ],
)
def test_parameters_are_found(docstring: str, style: Style, parameters: list[str]) -> None:
    words = comment_of_docstring(docstring)
    assert words.style is style
    assert [entry.name for entry in words.parameters] == parameters


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX, EPYDOC, inspect.cleandoc(GOOGLE)])
def test_an_entry_has_its_line_in_the_docstring(docstring: str) -> None:
    words = comment_of_docstring(docstring)
    for entry in (*words.parameters, *words.raises):
        assert entry.name in docstring.split("\n")[entry.line]


def test_an_entry_holds_its_further_lines_and_no_other_entry() -> None:
    to = comment_of_docstring(GOOGLE).parameters[0]
    assert "everybody" in to.text
    assert "more" not in to.text
    assert comment_of_docstring(SPHINX).parameters[1].text == "what is sent,\n        in one line"


@pytest.mark.parametrize(
    ("docstring", "raises", "returns"),
    [
        (GOOGLE, ["LookupError"], "The number of\n        letters."),
        (SPHINX, ["mail.Lost"], "how many"),
        (EPYDOC, ["Lost"], None),
        ("Return it.", [], None),
    ],
)
def test_errors_and_results_are_found(docstring: str, raises: list[str], returns: str | None) -> None:
    words = comment_of_docstring(docstring)
    assert [entry.name for entry in words.raises] == raises
    assert words.returns == returns


def test_a_parameter_documented_twice_counts_once() -> None:
    assert len(comment_of_docstring(":param to: who\n:param to: who else").parameters) == 1


def test_descriptions_of_older_versions_are_blanked_and_lines_keep_their_numbers() -> None:
    history = "    .. versionchanged:: 2.0\n       old_name went.\n\n"
    docstring = f"Send.\n\n{history}    Now new_name.\n    Changed in version 3: x"
    words = comment_of_docstring(docstring)
    assert words.told_history
    assert words.named == {"Send", "Now", "new_name"}
    assert words.text.count("\n") == docstring.count("\n")


def test_a_docstring_that_starts_with_its_history_keeps_the_rest() -> None:
    assert comment_of_docstring("Deprecated: gone soon\n\n    Send it.").named == {"Send", "it"}


def test_many_colons_take_linear_time() -> None:
    assert (
        comment_of_docstring("Args:\n" + "    a" * 2000 + ":\n" + ":" * 5000 + "\n" + "(" * 5000).parameters
        is not None
    )
