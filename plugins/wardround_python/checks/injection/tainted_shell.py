from __future__ import annotations

from wardround.findings import Plane, Severity
from wardround.rules.cases import code
from wardround_python.dataflow.check import TaintedCheck
from wardround_python.dataflow.domain import SinkKind


class TaintedShell(TaintedCheck):
    """Data from the request reaches a shell.

    A semicolon, a pipe or ``$( )`` in the value starts a command of the sender's choice, with the privileges
    of this process. Pass the program and its arguments as a list without a shell; if a shell is required,
    apply ``shlex.quote`` to every value.
    """

    ID = "PY302"
    NAME = "tainted-shell"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.ERROR
    DEFECT_CLASS = "shell-injection"
    SINK = SinkKind.SHELL
    MESSAGE = "data from the request reaches a shell; pass a list of arguments or use shlex.quote"
    WORDS = ("os.system", "popen", "subprocess", "getoutput", "exec_command", "pexpect", "invoke", "system(",
             "fabric", "asyncssh", "os.exec", "os.spawn", "exec_run", "containers.run",
             "posix_spawn", "pty.spawn", "create_subprocess")  # fmt: skip
    VALID = [
        code("""
            import subprocess
            def ping(request):
                subprocess.run(["ping", "-c", "1", request.GET["host"]], check=True)
        """),
        code("""
            import shlex, subprocess
            def ping(request):
                host = shlex.quote(request.GET['host'])
                subprocess.run(f"ping -c 1 {host} | tail -1", shell=True, check=True)
        """),
    ]
    INVALID = [
        code("""
            import subprocess
            def count(request):
                words = ['sh', '-c', f'wc {request.GET["name"]}']
                subprocess.run(«words», check=True)
        """),
        code("""
            from fabric import Connection
            def deploy(request):
                with Connection('web') as there:
                    there.run(«'git checkout ' + request.POST['branch']»)
        """),
    ]
