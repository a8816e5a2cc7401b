from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedDeserialization(TaintedCheck):
    """Data from the request is deserialized into arbitrary objects.

    Pickle and the full loaders of YAML call any function that the bytes name, so a crafted request runs code
    in this process. Use JSON or ``yaml.safe_load``; if pickle is required, sign the data and verify the
    signature first.
    """

    ID = "PY305"
    NAME = "tainted-deserialization"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "insecure-deserialisation"
    SINK = SinkKind.OBJECTS
    MESSAGE = "data from the request is deserialized into arbitrary objects; use JSON or yaml.safe_load"
    WORDS = ("pickle", "marshal", "dill", "yaml", "joblib", "shelve", "torch.load")
    VALID = [
        code("""
            import yaml
            def load(request):
                return yaml.load(request.body, Loader=yaml.SafeLoader)
        """),
        code("""
            import pickle
            def load(request):
                return pickle.loads(cache.get(request.GET['key']))
        """),
    ]
    INVALID = [
        code("""
            import base64, pickle
            from flask import request

            def load():
                return pickle.loads(«base64.b64decode(request.cookies['state'])»)
        """),
        code("""
            import yaml

            def parse(text):
                return yaml.load(«text», Loader=yaml.Loader)

            def load(request):
                return parse(request.FILES['config'].read().decode())
        """),
    ]
