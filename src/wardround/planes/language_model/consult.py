"""A review with a language model: decides if and what to ask, and returns findings and exchanges."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.config.language_model import LanguageModelSettings
from wardround.config.request import ExchangeStreams, ReviewRequest
from wardround.errors import ModelError
from wardround.execution.model import Results
from wardround.findings import Finding, Plane, Status
from wardround.planes.evidence import Exchange
from wardround.planes.language_model.claim_counts import claim_counts
from wardround.planes.language_model.consultation import Consultation, folder_of_exchange
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.questions import Material, QuestionWriter
from wardround.planes.language_model.redaction import Redactor
from wardround.planes.language_model.sent_neighbours import paths_of
from wardround.processors.classify import new_finding
from wardround.rules.catalogue import Catalogue
from wardround.specialists import Specialist
from wardround.storage.paths import state_dir

if TYPE_CHECKING:
    from wardround.models.loading import DecoderLocation, FoundDecoder
    from wardround.planes.language_model.endpoint import Endpoint
    from wardround.planes.language_model.endpoint_memory import EndpointMemory
    from wardround.planes.language_model.exchange_endpoint import ExchangeEndpoint
    from wardround.planes.language_model.review_cost import ReviewCost

CONSENT = "WARDROUND_LANGUAGE_MODEL"
"""The variable that permits the model where the configuration is that of the change itself."""

_DAY_S = 86_400
_NOTHING_FITS = "no hunk fits into the token budget; raise language-model.input-tokens"


class Consultant:
    """Consults the configured model about one change.

    Args:
        environ: the variables with the key and the consent.
        decoders: where local models are, and how they are run.
    """

    def __init__(
        self,
        settings: LanguageModelSettings,
        request: ReviewRequest,
        environ: Mapping[str, str],
        specialists: Sequence[Specialist],
        catalogue: Catalogue,
        decoders: DecoderLocation,
    ) -> None:
        self._settings = settings
        self._request = request
        self._environ = environ
        self._specialists = specialists
        self._catalogue = catalogue
        self._decoders = decoders

    def consult(self, material: Material, is_cancelled: Callable[[], bool]) -> Consultation:
        """Run the exchanges of all planes at the same time."""
        redactor = self._redactor(material)
        writer = QuestionWriter(material, redactor, self._settings)
        questions = _questions(writer, self._settings.planes)
        if not questions:
            return Consultation()
        from wardround.planes.language_model.calls import run_all  # asyncio: only where a model is used
        from wardround.planes.language_model.exchange_runner import ExchangeRunner
        from wardround.planes.language_model.named_code import NamedCode

        definitions = None if material.lookup is None else NamedCode(material.lookup, writer.texts)
        runner = ExchangeRunner(self._settings, redactor.text, material.head, definitions)
        problem = self._refusal(redactor)
        if problem:
            answers = tuple(runner.not_sent(question, problem) for question in questions)
        else:
            fitting = [question for question in questions if question.hunks]
            empty = [question for question in questions if not question.hunks]
            with self._memory() as memory:
                substitute = self._substitute(memory)
                answers = run_all(
                    runner, fitting, self._settings, self._key, is_cancelled, substitute, memory
                )
            answers += tuple(runner.not_sent(question, _NOTHING_FITS) for question in empty)
        order = list(Plane)
        created = [exchange for answer in answers for exchange in answer.exchanges]
        exchanges = tuple(sorted(created, key=lambda consultation: order.index(consultation.plane)))
        found = tuple(finding for answer in answers for finding in answer.findings)
        return Consultation(found, exchanges, tuple(_notes(exchanges)))

    def questions(self, material: Material, planes: Sequence[Plane]) -> list[Question]:
        """Return the questions of some planes about a change."""
        return _questions(QuestionWriter(material, self._redactor(material), self._settings), planes)

    def cost(self, material: Material) -> ReviewCost:
        """Estimate the cost of a consultation; nothing is sent."""
        from wardround.planes.language_model.review_cost import review_cost  # not in a review

        with self._memory() as memory:

            def is_cached(question: Question) -> bool:
                if memory is None:
                    return False
                body = question.body(self._settings, memory.parameters.accepted)
                return memory.answers.get(body) is not None

            return review_cost(self.questions(material, self._settings.planes), self._settings, is_cached)

    @contextmanager
    def _memory(self) -> Iterator[EndpointMemory | None]:
        """The memory of the endpoint, which is closed after the review; None for an exchange."""
        address = self._address
        if not address:
            yield None
            return
        from wardround.planes.language_model.endpoint_memory import FILE, local_memory, memory_of
        from wardround.storage.kv_cache import KeyValueCache

        entries = KeyValueCache(state_dir() / FILE)
        day = int(time.time() // _DAY_S)
        try:
            reuses_answers = self._request.reuses_answers
            if self._settings.local_name:
                yield local_memory(entries, address, reuses_answers=reuses_answers)
            else:
                yield memory_of(self._settings, entries, day, reuses_answers=reuses_answers)
        finally:
            entries.close()

    @property
    def _address(self) -> str:
        """The address of what answers; empty for an exchange, and for a local model that is not found."""
        if self._settings.is_exchange:
            return ""
        if not self._settings.local_name:
            return self._settings.completions_url
        return "" if isinstance(self._decoder, str) else self._decoder.address

    @cached_property
    def _decoder(self) -> FoundDecoder | str:
        """The local model, or the reason why there is none."""
        from wardround.models.loading import find_decoder  # only for a local model

        try:
            return find_decoder(self._settings.local_name, self._decoders)
        except ModelError as cause:
            return str(cause)

    def _substitute(self, memory: EndpointMemory | None) -> Endpoint | None:
        """Return what answers in place of the configured endpoint; None if the endpoint does."""
        if self._settings.is_exchange:
            return self._exchange
        if memory is None or not self._settings.local_name or isinstance(self._decoder, str):
            return None
        from wardround.planes.language_model.local_endpoint import LocalEndpoint  # only for a local model

        return LocalEndpoint(self._decoder, self._settings, memory)

    @property
    def _exchange(self) -> ExchangeEndpoint:
        streams, wait_s = self._request.exchange, self._request.exchange_wait
        if isinstance(streams, ExchangeStreams):
            from wardround.planes.language_model.exchange_lines import ExchangeLines  # only for lines

            return ExchangeLines(streams, wait_s)
        from wardround.planes.language_model.exchange_folder import ExchangeFolder  # only for files

        return ExchangeFolder(folder_of_exchange(streams), wait_s)

    @property
    def _key(self) -> str:
        return self._environ.get(self._settings.api_key_env, "").strip() if self._settings.api_key_env else ""

    def _redactor(self, material: Material) -> Redactor:
        reported = self._reported_secrets(material.results.head)
        paths = [file.path for file in material.sent_files]
        paths += sorted(paths_of(material.neighbours, material.tests) - set(paths))
        return Redactor(paths, self._specialists, reported, material.head, material.base, self._key)

    def _reported_secrets(self, head: Results) -> list[Finding]:
        """Return the findings of tools and checks at secrets, whatever their place in the change."""
        found = []
        for (reporter, path), results in head.by_file.items():
            for result in results:
                rule = self._catalogue.rule(f"{reporter.name}/{result.code}")
                if rule.masked and result.file == path:
                    found.append(new_finding(result, rule, reporter.name, rule.severity, Status.NEW))
        return found

    def _refusal(self, redactor: Redactor) -> str:
        """Return the reason why nothing may be sent; empty if there is none."""
        if not self._request.use_models:
            return "not called, because of --no-models"
        if not redactor.is_complete:
            return "not called, because no check for secrets is loaded"
        if self._settings.local_name:
            return self._decoder if isinstance(self._decoder, str) else ""
        return "" if self._settings.is_exchange else self._network_refusal()

    def _network_refusal(self) -> str:
        """Return the reason why nothing may leave this machine; empty if there is none."""
        if self._request.offline:
            return "not called, because of --offline"
        if self._request.trusted_side == "head" and self._environ.get(CONSENT, "").lower() not in ("on", "1"):
            return f"not called, because the change configures it itself; set {CONSENT}=on to permit that"
        if self._settings.api_key_env and not (self._key and self._key.isascii() and self._key.isprintable()):
            return f"not called, because {self._settings.api_key_env} has no key"
        return ""


def _questions(writer: QuestionWriter, planes: Sequence[Plane]) -> list[Question]:
    used = (plane for plane in Plane if plane in planes)
    return [found for plane in used if (found := writer.question(plane)) is not None]


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
        f"language model, {exchange.plane}: {claim_counts(exchange)}"
        for exchange in exchanges
        if exchange.findings or exchange.discarded or exchange.questions.sent
    ]
    omitted = max((exchange.omitted_hunks for exchange in exchanges), default=0)
    if omitted:
        notes.append(
            f"the language model did not see up to {omitted} hunks of a plane; "
            "raise language-model.input-tokens"
        )
    return notes
