"""A review with a language model: decides if and what to ask, and returns findings and exchanges."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from wardround.config.language_model import LanguageModelSettings
from wardround.config.request import ReviewRequest
from wardround.execution.model import Results
from wardround.findings import Finding, Plane, Status
from wardround.planes.evidence import Exchange
from wardround.planes.language_model.consultation import Consultation, exchange_folder
from wardround.planes.language_model.influence import reasons_of
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.questions import Material, QuestionWriter
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.language_model.sent_neighbours import paths_of
from wardround.planes.run import PLANES
from wardround.planes.signal import FileJudge
from wardround.processors.classify import new_finding
from wardround.rules.catalogue import Catalogue
from wardround.specialists import Specialist

if TYPE_CHECKING:
    from wardround.planes.language_model.exchange_folder import ExchangeFolder

CONSENT = "WARDROUND_LANGUAGE_MODEL"
"""The variable that permits the model where the configuration is that of the change itself."""

_NOTHING_FITS = "no hunk fits into the token budget; raise language-model.input-tokens"


class Consultant:
    """Consults the configured model about one change.

    Args:
        environ: the variables with the key and the consent.
    """

    def __init__(
        self,
        settings: LanguageModelSettings,
        request: ReviewRequest,
        environ: Mapping[str, str],
        specialists: Sequence[Specialist],
        catalogue: Catalogue,
    ) -> None:
        self._settings = settings
        self._request = request
        self._environ = environ
        self._specialists = specialists
        self._catalogue = catalogue

    def consult(self, material: Material, is_cancelled: Callable[[], bool]) -> Consultation:
        """Run the exchanges of all planes at the same time."""
        redactor = self._redactor(material)
        questions = self.questions(material, redactor)
        if not questions:
            return Consultation()
        from wardround.planes.language_model.calls import run_all  # asyncio: only where a model is used
        from wardround.planes.language_model.exchange_runner import ExchangeRunner

        runner = ExchangeRunner(self._settings, redactor.text, material.head)
        problem = self._refusal(redactor)
        if problem:
            answers = tuple(runner.not_sent(question, problem) for question in questions)
        else:
            fitting = [question for question in questions if question.hunks]
            empty = [question for question in questions if not question.hunks]
            answers = run_all(runner, fitting, self._settings, self._key, is_cancelled, self._exchange)
            answers += tuple(runner.not_sent(question, _NOTHING_FITS) for question in empty)
        order = list(Plane)
        made = [exchange for answer in answers for exchange in answer.exchanges]
        exchanges = tuple(sorted(made, key=lambda one: order.index(one.plane)))
        found = tuple(finding for answer in answers for finding in answer.findings)
        return Consultation(found, exchanges, tuple(_notes(exchanges)))

    def questions(
        self, material: Material, redactor: Redactor | None = None, planes: Sequence[Plane] = ()
    ) -> list[Question]:
        """Return the questions about a change.

        Args:
            planes: in place of those of the configuration.
        """
        writer = QuestionWriter(material, redactor or self._redactor(material), self._settings)
        chosen = planes or self._settings.planes
        judges = [one for one in PLANES if isinstance(one, FileJudge) and one.name in chosen]
        return [found for judge in judges if (found := writer.question(judge)) is not None]

    @property
    def _exchange(self) -> ExchangeFolder | None:
        if not self._settings.is_exchange:
            return None
        from wardround.planes.language_model.exchange_folder import ExchangeFolder  # only for one of files

        return ExchangeFolder(exchange_folder(self._request), self._request.exchange_wait)

    @property
    def _key(self) -> str:
        return self._environ.get(self._settings.api_key_env, "").strip() if self._settings.api_key_env else ""

    def _redactor(self, material: Material) -> Redactor:
        reported = self._reported_secrets(material.results.head)
        paths = [file.path for file in material.sent_files]
        paths += sorted(paths_of(material.neighbours) - set(paths))
        return Redactor(paths, self._specialists, reported, material.head, material.base, self._key)

    def _reported_secrets(self, head: Results) -> list[Finding]:
        """The findings of tools and checks at secrets, whatever their place in the change."""
        found = []
        for (reporter, path), results in head.by_file.items():
            for result in results:
                rule = self._catalogue.rule(f"{reporter.name}/{result.code}")
                if rule.masked and result.file == path:
                    found.append(new_finding(result, rule, reporter.name, rule.severity, Status.NEW))
        return found

    def _refusal(self, redactor: Redactor) -> str:
        """The reason why nothing may be sent; empty if there is none."""
        if not self._request.use_models:
            return "not called, because of --no-models"
        if not redactor.is_complete:
            return "not called, because no check for secrets is loaded"
        if self._settings.is_exchange:
            return ""
        if self._request.offline:
            return "not called, because of --offline"
        if self._request.trusted_side == "head" and self._environ.get(CONSENT, "").lower() not in ("on", "1"):
            return f"not called, because the change configures it itself; set {CONSENT}=on to permit that"
        if self._settings.api_key_env and not (self._key and self._key.isascii() and self._key.isprintable()):
            return f"not called, because {self._settings.api_key_env} has no key"
        return ""


def _notes(exchanges: Sequence[Exchange]) -> list[str]:
    problems: dict[str, list[str]] = {}
    for exchange in exchanges:
        if exchange.problem:
            problems.setdefault(exchange.problem, []).append(exchange.plane.value)
    notes = [
        f"the language model returned nothing usable for {', '.join(planes)}: {problem}"
        for problem, planes in problems.items()
    ]
    notes += [
        f"claims of the language model about {exchange.plane} that are no findings: {reasons_of(exchange)}"
        for exchange in exchanges
        if exchange.discarded
    ]
    omitted = max((exchange.omitted_hunks for exchange in exchanges), default=0)
    if omitted:
        notes.append(
            f"the language model did not see up to {omitted} hunks of a plane; "
            "raise language-model.input-tokens"
        )
    return notes
