from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.run import emit, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.inference.metadata import Metadata


@click.command("evaluate")
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE",
              help="Recipe they were trained from; its evaluation repositories are used.")  # fmt: skip
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="Exported frozen base (default: the one shipped with wardround).")  # fmt: skip
@click.option("--rows", type=click.Path(path_type=Path), metavar="FILE",
              help="For a tabular model: rows to evaluate on.")  # fmt: skip
@click.option("--training-rows", type=click.Path(path_type=Path), metavar="FILE",
              help="For a tabular model: rows it was trained on.")  # fmt: skip
@click.option("--cheap", "cheap", multiple=True, metavar="INPUT",
              help="For a tabular model: a feature that the baseline may use. Repeatable.")  # fmt: skip
@click.option("--exempt", multiple=True, metavar="CONTROL=REASON",
              help="Why the size control does not apply; printed on the card. Repeatable.")  # fmt: skip
def command(models: tuple[str, ...], **options: Any) -> int:
    """Evaluate MODEL on unseen repositories against the inexpensive baselines and the frozen base.

    Each MODEL is a folder or the name of a model shipped with wardround; all are trained from one recipe with
    different seeds. The results, the card and the plots are written to the first, whose state is reset to
    shadow until it is promoted again.
    """
    from wardround_lab.training.dependencies import MEASURING, require_extra

    require_extra(MEASURING)
    from wardround.inference.locations import CARD_FILE
    from wardround_lab.training import evaluate_shipped, promote
    from wardround_lab.training.recipe_registry import kind_of

    exempt = dict(_parse_exemption(text) for text in options["exempt"])
    found = [promote.model_of(name) for name in models]
    with progress_line() as progress:
        if options["recipe"] is not None:
            base = promote.base_of(options["base"])
            kind = kind_of(options["recipe"])
            measured = kind.evaluate(found, options["recipe"], base, exempt, progress)
        elif options["rows"] is not None and options["training_rows"] is not None:
            measured = evaluate_shipped.evaluate_rows(
                found, options["rows"], options["training_rows"], options["cheap"], exempt, progress
            )
        else:
            raise UsageError("give --recipe FILE, or for a model over numbers --rows and --training-rows")
    emit(_figure_lines(measured))
    emit(f"{found[0].folder / CARD_FILE}: written\n")
    return 0


def _parse_exemption(text: str) -> tuple[str, str]:
    name, _, reason = text.partition("=")
    if name != "size" or not reason.strip():
        raise UsageError(f"--exempt {text}: write size=REASON; no other control can be left out")
    return name, reason.strip()


def _figure_lines(metadata: Metadata) -> str:
    """Return the deciding figures, one per line."""
    from wardround.inference import promotion_policy

    evaluation = metadata.evaluation
    assert evaluation is not None
    metric = promotion_policy.deciding(metadata)
    lines = [
        f"{name:<24} {metric} {figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}]"
        for name, metrics in evaluation.metrics.items()
        for figure in (metrics[metric],)
    ]
    lines += [
        f"{gain.of} over {gain.over}, {gain.metric}, seed {gain.seed}: "
        f"{gain.gain.value:+.3f} [{gain.gain.low:+.3f}, {gain.gain.high:+.3f}]"
        for gain in evaluation.gains
        if gain.metric.startswith(metric)
    ]
    return "\n".join(lines) + "\n"
