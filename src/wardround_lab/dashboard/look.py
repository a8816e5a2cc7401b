"""The look of the pages: system fonts, and colours with contrast in light and in dark."""

from __future__ import annotations

import gradio as gr

_SANS = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Noto Sans", "Helvetica", "Arial", "sans-serif")
_MONO = ("ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "monospace")


def theme() -> gr.themes.Base:
    """Return the theme; its fonts are those of the reader's machine."""
    return gr.themes.Base(
        primary_hue="blue", neutral_hue="slate", radius_size="sm", font=list(_SANS), font_mono=list(_MONO)
    ).set(
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_400",
        block_label_text_color="*neutral_600",
        block_info_text_color="*neutral_600",
        block_info_text_color_dark="*neutral_400",
    )


def html_output(elem_id: str | None = None) -> gr.HTML:
    """Return a component for what ``markup`` renders, without Gradio's own style of tables."""
    return gr.HTML(apply_default_css=False, js_on_load=None, elem_id=elem_id)
