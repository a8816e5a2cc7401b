from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.run import emit
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.inference.metadata import HumanReview

REFUSED = 1


@click.command("promote")
@click.argument("model", metavar="MODEL")
@click.option(
    "--to", "state", type=click.Choice(["shadow", "rank", "report"]), default="rank", show_default=True
)
@click.option("--recipe", type=click.Path(path_type=Path), metavar="FILE",
              help="Recipe it was trained from (default: recipe.yml in its folder).")  # fmt: skip
@click.option("--records", multiple=True, type=click.Path(path_type=Path), metavar="FILE",
              help="Records it was trained on (default: those of the recipe).")  # fmt: skip
@click.option("--base", type=click.Path(path_type=Path), metavar="DIR",
              help="Exported frozen base (default: the one shipped with wardround); the files of the base of "
              "a chat model.")  # fmt: skip
@click.option(
    "--read", metavar="RIGHT/ITEMS", help="Number of findings read by people, and how many were right."
)
@click.option("--read-note", default="", metavar="TEXT", help="Who read them, and how they were sampled.")
def command(model: str, state: str, **options: Any) -> int:
    """Set the state of MODEL if its evaluation allows it; otherwise print the reason.

    shadow: only logged. rank: orders results. report: produces findings. A chat model becomes rank or report
    if its answers are better than those of the rules and of the base alone, and valid. Exit status: 0 the
    state is set, 1 refused, 2 the model could not be judged and is unchanged.
    """
    from wardround.inference.locations import RECIPE_FILE
    from wardround.inference.metadata import PromotionState
    from wardround_lab.training import promote
    from wardround_lab.training.model_card import render

    found = promote.model_of(model)
    recipe = options["recipe"] or found.folder / RECIPE_FILE
    seen = promote.files_seen(
        found.folder,
        found.metadata,
        base=options["base"] if found.metadata.kind == "chat" else promote.base_of(options["base"]),
        recipe=recipe,
        records=options["records"] or promote.records_of(recipe),
    )
    decided = promote.promote(
        found.folder, PromotionState(state), seen, _parse_reading(options["read"], options["read_note"])
    )
    emit("\n".join(render(decided)) + "\n")
    return 0 if decided.state is PromotionState(state) else REFUSED


def _parse_reading(text: str | None, note: str) -> HumanReview | None:
    if text is None:
        return None
    from wardround.inference.metadata import HumanReview

    right, _, items = text.partition("/")
    if not (right.isdecimal() and items.isdecimal() and 0 < int(items) >= int(right)):
        raise UsageError(f"--read {text}: write how many were right of how many, such as 41/50")
    if not note:
        raise UsageError("--read needs --read-note: who read, and how the findings were drawn")
    return HumanReview(items=int(items), right=int(right), note=note)
