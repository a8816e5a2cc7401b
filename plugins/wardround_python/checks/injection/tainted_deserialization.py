"""PY305."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane, Severity
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedDeserialization(TaintedCheck):
    """Data from the request is turned into arbitrary objects.

    Pickle and YAML's full loaders call whatever the bytes name, so a crafted request runs code here. Use
    JSON, or ``yaml.safe_load``; where it must be pickle, sign what is sent and check the signature first.
    """

    ID = "PY305"
    NAME = "tainted-deserialization"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "insecure-deserialisation"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    DANGER = SinkKind.OBJECTS
    MESSAGE = "data from the request is turned into arbitrary objects"
    WORDS = ("pickle", "marshal", "dill", "yaml", "joblib", "shelve", "torch.load")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import yaml\ndef load(request):\n    return yaml.load(request.body, Loader=yaml.SafeLoader)\n",
        "import pickle\ndef load(request):\n    return pickle.loads(cache.get(request.GET['key']))\n",
        "import json\ndef load(request):\n    return json.loads(request.body)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "import base64, pickle\nfrom flask import request\n\ndef load():\n"
            "    return pickle.loads(base64.b64decode(request.cookies['state']))\n",
            line=5,
            column=25,
        ),
        Invalid(
            "import yaml\n\ndef parse(text):\n    return yaml.load(text, Loader=yaml.Loader)\n\n"
            "def load(request):\n    return parse(request.FILES['config'].read().decode())\n",
            line=4,
            column=22,
        ),
        Invalid(
            "import pickle\n\ndef load(request):\n    return pickle.loads(request.body)\n", line=4, column=25
        ),
    ]
