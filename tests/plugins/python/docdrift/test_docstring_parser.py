"""The parser of docstrings in all usual styles."""

from __future__ import annotations

import inspect

import pytest
from wardround_python.docdrift.docstring_parser import words_of

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
    words = words_of(docstring)
    assert words.style is style
    assert [entry.name for entry in words.parameters] == parameters


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX, EPYDOC, inspect.cleandoc(GOOGLE)])
def test_an_entry_has_its_line_in_the_docstring(docstring: str) -> None:
    words = words_of(docstring)
    for entry in (*words.parameters, *words.raises):
        assert entry.name in docstring.split("\n")[entry.line]


def test_an_entry_holds_its_further_lines_and_no_other_entry() -> None:
    to = words_of(GOOGLE).parameters[0]
    assert "everybody" in to.text
    assert "more" not in to.text
    assert words_of(SPHINX).parameters[1].text == "what is sent,\n        in one line"


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
    words = words_of(docstring)
    assert [entry.name for entry in words.raises] == raises
    assert words.returns == returns


def test_a_parameter_documented_twice_counts_once() -> None:
    assert len(words_of(":param to: who\n:param to: who else").parameters) == 1


def test_descriptions_of_older_versions_are_blanked_and_lines_keep_their_numbers() -> None:
    history = "    .. versionchanged:: 2.0\n       old_name went.\n\n"
    docstring = f"Send.\n\n{history}    Now new_name.\n    Changed in version 3: x"
    words = words_of(docstring)
    assert words.told_history
    assert words.named == {"Send", "Now", "new_name"}
    assert words.text.count("\n") == docstring.count("\n")


def test_a_docstring_that_starts_with_its_history_keeps_the_rest() -> None:
    assert words_of("Deprecated: gone soon\n\n    Send it.").named == {"Send", "it"}


def test_many_colons_take_linear_time() -> None:
    assert (
        words_of("Args:\n" + "    a" * 2000 + ":\n" + ":" * 5000 + "\n" + "(" * 5000).parameters is not None
    )
