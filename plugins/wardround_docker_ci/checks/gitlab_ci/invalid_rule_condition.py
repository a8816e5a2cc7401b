from __future__ import annotations

from collections.abc import Iterator

from wardround.findings import Severity
from wardround.languages.yaml.nodes import Mapping, Scalar
from wardround.languages.yaml.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.rules.maturity import Maturity
from wardround_docker_ci.check import GITLAB, CiCheck

_QUOTED = LazyPattern(r"\"[^\"]*\"|'[^']*'|(?<=~)\s*/(?:\\.|[^/\\])*/i?")
_WRONG = (
    (LazyPattern(r"(?:==|!=)\s*(?!null\b|_)(?:[A-Za-z][\w./-]*)"), "quote the string"),
    (LazyPattern(r"(?<![=!<>~])=(?![=~])"), "compare with =="),
    (LazyPattern(r"(?<![\w$-])(?:and|or|not|AND|OR|NOT)(?![\w-])"), "use &&, || and !="),
)


class InvalidRuleCondition(CiCheck):
    """The condition of a rule is not valid GitLab syntax.

    GitLab accepts variables, quoted strings, patterns between slashes, `==`, `!=`, `=~`, `!~`, `&&` and
    `||`. It rejects the pipeline for anything else, or the rule never matches.
    """

    ID = "DC202"
    NAME = "invalid-rule-condition"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "invalid-workflow"
    KINDS = GITLAB
    NEEDS = ("if:",)
    CASE_PATH = ".gitlab-ci.yml"
    VALID = [
        code("""
            a:
              script: make
              rules:
                - if: $A == 'x=y and z' && $B == null || $C =~ /^a or b=/
        """),
        code("""
            a:
              script: make
              rules:
                - if: '$A == "main" || $B != $C'
        """),
    ]
    INVALID = [
        code("""
            a:
              script: make
              rules:
                - if: «$A == main»
        """),
        code("""
            workflow:
              rules:
                - if: «$A = 'main'»
                  when: never
            a:
              script: make
        """),
    ]

    def run(self) -> None:
        reported: set[int] = set()
        for condition in self._conditions():
            text = condition.value
            if id(condition) in reported or "$[[" in text:
                continue
            reported.add(id(condition))
            bare = _QUOTED.sub('""', text)
            why = next((why for pattern, why in _WRONG if pattern.search(bare)), None)
            if why is not None:
                location = self.file.passage(condition)
                self.report_at(location.start, location.end, f"invalid condition: {why}")

    def _conditions(self) -> Iterator[Scalar]:
        for node in walk(self.file.root):
            for rule in node.items_at("rules") if isinstance(node, Mapping) else ():
                found = rule.scalar("if") if isinstance(rule, Mapping) else None
                if found is not None:
                    yield found
