"""A choice by a link: a hidden text box that a link of a table fills."""

from __future__ import annotations

import gradio as gr


def link_target(elem_id: str) -> gr.Textbox:
    """Return the text box that a link with this target fills; its event is ``input``."""
    return gr.Textbox(elem_id=elem_id, visible="hidden", show_label=False, container=False)
