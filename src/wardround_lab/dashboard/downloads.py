"""Files that the dashboard sends: records of the store, byte by byte, and no file of the disk."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response

from wardround.errors import WardroundError
from wardround.records.bundle import SUFFIX
from wardround.records.store import open_existing
from wardround_lab.dashboard.markup import Download
from wardround_lab.dashboard.stores import Stores

_RECORDS = "/wardround/records/"


def record_download(digest: str) -> Download:
    """Return the link to the file of a record."""
    return Download("Download the record", f"{_RECORDS}{digest}{SUFFIX}")


def serve(application: FastAPI, stores: Stores) -> None:
    """Add the paths of the files to an application."""

    def record_file(name: str) -> Response:
        digest = name.removesuffix(SUFFIX)
        try:
            with open_existing(stores.records) as records:
                data = records.data(records.get(digest))
        except WardroundError as error:
            return PlainTextResponse(f"wardround: {error}\n", 404)
        headers = {"content-disposition": f'attachment; filename="{digest}{SUFFIX}"'}
        return Response(data, media_type="application/jsonl", headers=headers)

    application.get(_RECORDS + "{name}")(record_file)
