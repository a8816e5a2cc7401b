"""A cheap look at whether a change can have parted a JSDoc comment from its function."""

from __future__ import annotations

from wardround.late import LatePattern

_COMMENT = LatePattern(r"/\*\*(?!/).*?\*/", 16)  # re.DOTALL
_NAME = LatePattern(r"[^\W\d]\w*|\d[\w.]*")
_SIGNATURE_END = LatePattern(r"[{;>]\s*\n|\n\s*\n")
_LONGEST_SIGNATURE = 4_000


def may_part(old_text: str, new_text: str) -> bool:
    """Whether a documented signature may differ, or a line is gone that had a word of some comment.

    It never says no where a check of comments would speak; it is a search through the text and no more.
    """
    if old_text == new_text or "/**" not in old_text or "/**" not in new_text:
        return False
    comments = list(_COMMENT.finditer(new_text))
    for comment in comments:
        if "@param" in comment[0] or "@arg" in comment[0]:
            end = _SIGNATURE_END.search(new_text, comment.end() + 1, comment.end() + _LONGEST_SIGNATURE)
            if new_text[comment.end() : end.end() if end else comment.end() + 1] not in old_text or end is None:
                return True
    gone = set(old_text.split("\n")).difference(new_text.split("\n"))
    words = {word for line in gone for word in _NAME.findall(line)}
    return any(not words.isdisjoint(_NAME.findall(comment[0])) for comment in comments)
