"""Figures as small SVG or PNG files: the same bytes for the same values, without a display."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wardround.errors import TrainingError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

STYLES = (("#0072b2", "-"), ("#d55e00", "--"), ("#009e73", "-."), ("#5a5a5a", ":"))
"""Colours for colour-blind readers, and a dash for each.

Source: M. Okabe, K. Ito, "Color Universal Design", 2008.
"""
INK = "#333333"
_SIZE = (6.0, 3.8)
_LOOK = {
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 10,
    "lines.linewidth": 1.8,
    "svg.fonttype": "none",
    "svg.hashsalt": "wardround",
    "path.simplify": True,
    "text.parse_math": False,
}


@contextmanager
def figure(path: Path, title: str, across: str, up: str, size: tuple[float, float] = _SIZE) -> Iterator[Axes]:
    """One pair of axes, saved at the end.

    Args:
        across, up: labels of the axes.
        size: inches.

    Raises:
        TrainingError: matplotlib is missing, or the file cannot be written.
    """
    if path.suffix not in (".svg", ".png"):
        raise TrainingError(f"{path.name}: plots are written as .svg or .png")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as missing:
        raise TrainingError("plots need matplotlib: install wardround[train]") from missing
    with rc_context(_LOOK):  # type: ignore[arg-type, unused-ignore]
        drawn = Figure(figsize=size, layout="constrained")
        axes = drawn.subplots()
        axes.set_title(title, loc="left")
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        yield axes
        if axes.get_legend_handles_labels()[0]:
            drawn.legend(loc="outside lower center", ncols=2)
        undated: dict[str, Any] = (
            {"Date": None, "Creator": None} if path.suffix == ".svg" else {"Software": None}
        )
        try:
            drawn.savefig(path, metadata=undated)
        except OSError as cause:
            raise TrainingError(f"{path}: {cause.strerror}; choose another directory") from cause
