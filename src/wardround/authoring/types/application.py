"""The application of annotations to the work tree, through the journal of fixes."""

from __future__ import annotations

from wardround.authoring.types.model import AnnotatedModule
from wardround.authoring.types.offering import Offer
from wardround.change.repository import Repository
from wardround.errors import FixRejected
from wardround.fixes import journal
from wardround.fixes.journal import Journal, WorktreeFile


def apply_types(repository: Repository, offer: Offer) -> tuple[str, ...]:
    """Write the annotated modules, each only while it has the content that was read. Return their paths.

    Raises:
        FixRejected: a file has changed meanwhile, or cannot be written; the others are written.
    """
    if not offer.modules:
        return ()
    contents = {f"content-{number}": item.content for number, item in enumerate(offer.modules)}
    files = tuple(_file(item, name) for item, name in zip(offer.modules, contents, strict=True))
    log = Journal(str(repository.root), str(repository.index_file), (), files)
    remaining = journal.replay(repository, log, contents)
    if remaining:
        raise FixRejected(f"{', '.join(remaining)}: changed meanwhile, so it was not written; run it again")
    return tuple(file.path for file in files)


def _file(item: AnnotatedModule, name: str) -> WorktreeFile:
    return WorktreeFile(item.module.path, journal.digest(item.module.content), name)
