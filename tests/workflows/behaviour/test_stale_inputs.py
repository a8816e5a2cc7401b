"""Arguments that the base made: they are not passed to a head that makes others."""

from __future__ import annotations

from tests.conftest import GitRepository
from tests.workflows.behaviour.compared_project import Results, compared

RULES = """\
def preset():
    return {"rules": ["text", "collapse"], "depth": 2}


def parser(config):
    return [name for name in config["rules"] if name != "skipped"]


def depth(config):
    return config["depth"]


def parts(text):
    for one in text.split():
        yield {"text": one}


def joined(values):
    return "+".join(one["text"] for one in values)
"""
TESTS = """\
from lib.rules import depth, joined, parser, parts, preset


def test_a_preset():
    assert parser(preset())
    assert depth({"depth": 3}) == 3
    assert depth(preset()) == 2


def test_parts():
    assert joined(list(parts("a b"))) == "a+b"
"""


def project(text: str, tests: str) -> dict[str, str]:
    return {"lib/__init__.py": "", "lib/rules.py": text, "tests/test_rules.py": tests}


def test_a_result_of_a_function_that_returns_another_one_is_not_passed_to_the_head(
    repo: GitRepository,
) -> None:
    head = (
        RULES.replace('{"rules": ["text", "collapse"], "depth": 2}', '{"names": ["text", "join"], "size": 2}')
        .replace('config["rules"] if name', 'config["names"] if name')
        .replace('return config["depth"]', 'return config.get("size", 3)')
        .replace('yield {"text": one}', 'yield {"part": one}')
        .replace('one["text"]', 'one["part"]')
    )

    found = Results(compared(repo, project(RULES, TESTS), project(head, TESTS)))

    assert found.difference("preset") is not None
    assert found.difference("parts") is not None
    assert found.difference("parser") is None
    assert found.difference("joined") is None
    item = found.difference("depth")
    assert item is None or "rules" not in item.call


def test_a_result_of_a_function_that_returns_the_same_is_passed_on(repo: GitRepository) -> None:
    head = RULES.replace(
        'return {"rules": ["text", "collapse"], "depth": 2}',
        'made = {"rules": ["text"], "depth": 2}\n    made["rules"].append("collapse")\n    return made',
    ).replace('!= "skipped"', '!= "text"')

    found = Results(compared(repo, project(RULES, TESTS), project(head, TESTS)))

    assert found.inputs("preset") == (1, 0)
    assert found.texts("parser")[1:] == ("['text', 'collapse']", "['collapse']")


STEPS = """\
TABLE = {"decode_inconsistent": str.lower, "upper": str.upper}


def plan(text):
    return [("apply", name) for name in TABLE if text]


def applied(text, steps):
    for _, name in steps:
        text = TABLE[name](text)
    return text
"""
STEPS_TESTS = """\
from lib.rules import applied, plan


def test_a_plan():
    assert applied("a", plan("a")) == "A"
    assert applied("b", [("apply", "upper")]) == "B"
"""


def test_a_name_that_the_change_removes_is_passed_on_only_if_a_test_names_it(repo: GitRepository) -> None:
    head = STEPS.replace("decode_inconsistent", "fix_inconsistent")

    found = Results(compared(repo, project(STEPS, STEPS_TESTS), project(head, STEPS_TESTS)))

    assert found.difference("plan") is not None
    assert found.difference("applied") is None
    assert found.inputs("applied") is not None

    named = STEPS_TESTS + '    assert applied("c", [("apply", "decode_inconsistent")]) == "c"\n'
    found = Results(compared(repo, project(STEPS, named), project(head, named)))

    assert found.texts("applied")[1] == "'c'"


def test_an_object_is_not_made_before_its_constructor_ends(repo: GitRepository) -> None:
    base = "class Box:\n    def __init__(self, size):\n        self.size = size\n"
    tests = "from lib.rules import Box\n\n\ndef test_it():\n    assert Box(2).size == 2\n"
    head = base.replace("= size", "= size * 2")

    found = Results(compared(repo, project(base, tests), project(head, tests)))

    assert found.texts("Box.__init__") == ("Box(2)", "Box(size=2)", "Box(size=4)")
