"""Vectors of texts by the frozen base: the baseline that an adapter has to exceed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wardround_lab.training.base_model import locate, read_base
from wardround_lab.training.bootstrap import Floats
from wardround_lab.training.encoder import load_encoder, load_tokenizer
from wardround_lab.training.parity import embedded_together
from wardround_lab.training.run_directory import BASE_FILE
from wardround_lab.training.text_classes.train import read_text_run


def frozen_vectors(folder: Path, texts: Sequence[str]) -> Floats:
    """Return vectors of length 1 of texts by the base of a training, shape (texts, dimensions)."""
    run = read_text_run(folder)
    located = locate(read_base(BASE_FILE, folder))
    tokenizer, encoder = load_tokenizer(located, run.window, run.marker_position), load_encoder(located)
    tokens = [row.ids for row in tokenizer.encode_batch(list(texts))]
    found: Floats = embedded_together(encoder, tokens).astype(np.float64)
    return found
