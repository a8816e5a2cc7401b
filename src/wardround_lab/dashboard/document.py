"""The HTML document of the page: Gradio's, without its metadata, with nonces and the dashboard's script."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_OF_GRADIO = LazyPattern(
    r'<meta\s[^>]{0,60}"(?:og|twitter):[^>]{0,400}>'
    r'|<link rel="manifest"[^>]{0,100}>'
    r'|<script\s{1,20}src="[^">]{0,200}iframeResizer[^>]{0,200}></script>'
)
_OWN = (
    '<link rel="icon" href="/wardround/icon.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="/wardround/dashboard.css">'  # Gradio would split selectors at each comma
    '<script src="/wardround/dashboard.js" defer></script></head>'
)


def with_nonce(document: str, nonce: str) -> str:
    """Return the document with the dashboard's own script, and a nonce for each script that it has.

    Values in the configuration of the page cannot contain a tag: Gradio escapes ``<`` in it.
    """
    own = _OF_GRADIO.sub("", document).replace("</head>", _OWN, 1)
    return own.replace("<script", f'<script nonce="{nonce}"')
