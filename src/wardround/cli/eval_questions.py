from __future__ import annotations

import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.messages import echo_err
from wardround.cli.run import emit, progress_line, require_one
from wardround.errors import ModelError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wardround.host import PluginHost
    from wardround.planes.language_model.narrow_questions.model import NarrowQuestion
    from wardround_lab.evaluation.narrow_questions.asking import Target
    from wardround_lab.evaluation.narrow_questions.cases import QuestionCase
    from wardround_lab.evaluation.narrow_questions.scores import Measured

INCONCLUSIVE = 4
_LARGEST_INPUT = 1_000_000
_KEY = "WARDROUND_MODEL_KEY"


@click.command("questions")
@click.option("--model", metavar="NAME", help="The model to measure.")
@click.option("--url", metavar="URL", help="The base URL of its endpoint, such as http://localhost:8000/v1.")
@click.option("--model-folder", "folders", multiple=True, type=click.Path(path_type=Path), metavar="DIR",
              help="A folder of models, for --model local:NAME without an endpoint. Repeatable.")  # fmt: skip
@click.option("--exchange", type=click.Path(path_type=Path), metavar="DIR",
              help="Write requests to DIR and read answers there, in place of an endpoint.")  # fmt: skip
@click.option("--base-model", metavar="NAME",
              help="Another model to compare with, such as the one without the adapter.")  # fmt: skip
@click.option("--question", "ids", multiple=True, metavar="ID", help="Only this question. Repeatable.")
@click.option("--specialist", "specialists", multiple=True, metavar="NAME",
              help="Only the questions of this specialist. Repeatable.")  # fmt: skip
@click.option("--cases", "folder", type=click.Path(path_type=Path, exists=True, file_okay=False),
              metavar="DIR",
              help="The folder of cases (default: those that ship with the rules).")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N",
              help="Use the first N good and the first N bad cases of each question.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), metavar="S",
              help="With --limit: choose the cases by this seed instead of their order.")  # fmt: skip
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, metavar="N",
              help="Cases in one request, at most eight.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1, max=64), default=4, show_default=True, metavar="N",
              help="Requests at the same time.")  # fmt: skip
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True, max=600), default=120.0,
              show_default=True, metavar="SECONDS", help="The limit on one request.")  # fmt: skip
@click.option("--rules/--no-rules", default=True, show_default=True,
              help="Review the cases with the rules that report the same problem, too.")  # fmt: skip
@click.option("--format", "output", metavar="json=FILE", help="Write the measurement as JSON, too.")
def command(**options: Any) -> int:
    """Ask a model the narrow questions about cases with known answers, and count the correct ones.

    The environment variable WARDROUND_MODEL_KEY has the key of the endpoint, if it needs one. Exit status: 4
    if a request has no answer.
    """
    from wardround import host
    from wardround.planes.language_model.narrow_questions.loading import narrow_questions
    from wardround_lab.evaluation.narrow_questions.cases import default_folder, read_cases

    target = _target(options)
    output = _output(options["output"])
    questions = _choose_questions(narrow_questions(), options)
    cases = read_cases(options["folder"] or default_folder(), questions)
    with progress_line() as progress:
        result = _measure(_limit_cases(cases, options), target, host.load(), options, progress)
    _write(result, output)
    return INCONCLUSIVE if result.problems else 0


def _target(options: dict[str, Any]) -> Target:
    from wardround.config.language_model import EXCHANGE, LanguageModelSettings, require_valid
    from wardround.models import LOCAL_PREFIX
    from wardround.planes.language_model.exchange_folder import ExchangeFolder
    from wardround_lab.evaluation.narrow_questions.asking import Target

    model = options["model"] or ""
    if not options["url"] and model.startswith(LOCAL_PREFIX):
        return _local_target(model, options)
    require_one({f"--{name}": bool(options[name]) for name in ("url", "exchange")}, "name the model's way")
    folder = options["exchange"]
    if folder is None and not (options["model"] and options["url"]):
        raise click.UsageError(
            "no model to measure: give both --model and --url, --model local:NAME, or --exchange DIR"
        )
    if folder is not None and options["base_model"]:
        raise click.UsageError("--base-model needs --url: an exchange of files has one answerer")
    settings = LanguageModelSettings(
        url=options["url"] or "",
        model=options["model"] or EXCHANGE,
        timeout=options["timeout"],
        concurrency=options["jobs"],
        input_tokens=_LARGEST_INPUT,
    )
    require_valid(settings, "--url")
    exchange = None if folder is None else ExchangeFolder(folder, 0.0)
    key = os.environ.get(_KEY, "").strip()
    return Target(settings, key, exchange, None, options["batch"], options["jobs"])


def _local_target(model: str, options: dict[str, Any]) -> Target:
    """Return a model on this machine as the one that is measured."""
    from wardround.config.language_model import LanguageModelSettings
    from wardround.models import LOCAL_PREFIX
    from wardround.models.loading import DecoderLocation, find_decoder
    from wardround_lab.evaluation.narrow_questions.asking import Target

    if options["exchange"]:
        raise click.UsageError(f"--model {model} answers itself; leave --exchange out")
    location = DecoderLocation(tuple(options["folders"]))
    try:
        found = find_decoder(model.removeprefix(LOCAL_PREFIX), location)
    except ModelError as cause:
        raise UsageError(f"--model: {cause}") from cause
    settings = LanguageModelSettings(
        model=model, timeout=options["timeout"], budget=math.inf, input_tokens=_LARGEST_INPUT
    )
    return Target(settings, "", None, found, options["batch"], options["jobs"])


def _base_target(target: Target, options: dict[str, Any]) -> Target:
    """Return the other model that is measured: of the same endpoint, or also on this machine."""
    from msgspec.structs import replace

    base_model: str = options["base_model"]
    if target.local is not None:
        return _local_target(base_model, options)
    return replace(target, settings=replace(target.settings, model=base_model))


def _output(text: str | None) -> Path | None:
    if text is None:
        return None
    form, _, path = text.partition("=")
    if form != "json" or not path:
        raise UsageError(f"--format {text}: write json=FILE")
    return Path(path)


def _choose_questions(known: Sequence[NarrowQuestion], options: dict[str, Any]) -> list[NarrowQuestion]:
    """Return the named questions, or all."""
    for name, values in (("id", options["ids"]), ("specialist", options["specialists"])):
        names = {getattr(question, name) for question in known}
        unknown = sorted(set(values) - names)
        if unknown:
            raise UsageError(f"unknown {name} {', '.join(unknown)}; use {', '.join(sorted(names))}")
    return [
        question
        for question in known
        if (not options["ids"] or question.id in options["ids"])
        and (not options["specialists"] or question.specialist in options["specialists"])
    ]


def _limit_cases(cases: Sequence[QuestionCase], options: dict[str, Any]) -> Sequence[QuestionCase]:
    """Return as many good and as many bad cases of each question as ``--limit`` allows."""
    from wardround_lab.evaluation.narrow_questions.cases import limit_cases

    limit, seed = options["limit"], options["seed"]
    if limit is None and seed is not None:
        raise click.UsageError("--seed needs --limit: all cases are used without it")
    return cases if limit is None else limit_cases(cases, limit, seed)


def _measure(
    cases: Sequence[QuestionCase],
    target: Target,
    host: PluginHost,
    options: dict[str, Any],
    progress: Callable[[str], None],
) -> Measured:
    from wardround_lab.evaluation.narrow_questions.asking import ask
    from wardround_lab.evaluation.narrow_questions.rule_answers import rule_answers
    from wardround_lab.evaluation.narrow_questions.scores import measure

    tests = next(specialist for specialist in host.specialists if specialist.name == "tests")
    answers = ask(cases, target, tests.claims_name, progress)
    base_model = options["base_model"] or ""
    base = ask(cases, _base_target(target, options), tests.claims_name, progress) if base_model else []
    reported = rule_answers(cases, host, options["jobs"], progress) if options["rules"] else {}
    return measure(answers, reported, base, (target.settings.model, base_model))


def _write(result: Measured, output: Path | None) -> None:
    from wardround_lab.evaluation.judging.rates_report import as_json
    from wardround_lab.evaluation.narrow_questions.scores_table import lines

    emit("".join(f"{line}\n" for line in lines(result)))
    if output is None:
        return
    try:
        output.write_text(as_json(result), "utf-8")
    except OSError as cause:
        raise UsageError(f"--format json={output}: {cause.strerror}; give another file") from cause
    echo_err(f"{output}: the measurement was written")
