# How a worker is confined, and the calls that it takes. First of the parts that make up the warm server; the parts are
# joined into one program, so that everything is defined before the first submission arrives.
import ctypes
import gc
import marshal
import os
import random
import signal
import socket
import sys
import types

# Functions keep the builtins of their globals from the moment they are defined: a submission that patches the module
# `builtins` of its process does not reach ours. (It could only spoil its own answers.)
__builtins__ = dict(vars(__builtins__)) if isinstance(__builtins__, types.ModuleType) else dict(__builtins__)

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
NOBODY = 65534  # as in sandbox/native/launch_plan.h, like the two below
CHANNEL = 200
NOT_CONFINED = 99

# PyDLL keeps the interpreter lock across the call, so that a fork inside comes back to a consistent interpreter.
libc = ctypes.PyDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}[os.uname().machine]
MOUNT_SETATTR, LANDLOCK_CREATE_RULESET, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF = 442, 444, 445, 446


def load_native(descriptor):
    """The native half (sandbox/native/launcher.cc), handed over as an open memory file."""
    library = ctypes.PyDLL(f"/proc/self/fd/{descriptor}")
    library.plumbline_launch.restype = library.plumbline_supervise.restype = ctypes.c_int64
    library.plumbline_filter.restype = ctypes.c_int64
    library.plumbline_not_confined.restype = library.plumbline_keep.restype = None
    return library


def syscall(number, *arguments):
    """A raw system call; raises OSError."""
    result = libc.syscall(ctypes.c_long(number), *[a if isinstance(a, ctypes._SimpleCData) or not isinstance(a, int)
                                                   else ctypes.c_long(a) for a in arguments])
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


def checked(result, what):
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)


def prctl(option, *values):
    return libc.prctl(ctypes.c_int(option), *[ctypes.c_ulong(v) for v in (values + (0, 0, 0, 0))[:4]])


def mount(source, target, kind, flags, data=None):
    encode = lambda text: None if text is None else text.encode()
    checked(libc.mount(encode(source), encode(target), encode(kind), ctypes.c_ulong(flags), encode(data)),
            "mount " + target)


def write_text(path, text):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def map_to_nobody(outer_uid, outer_gid):
    """Inside a fresh user namespace: we are nobody, whoever we are outside. Nobody else exists."""
    write_text("/proc/self/setgroups", "deny")
    write_text("/proc/self/uid_map", f"{NOBODY} {outer_uid} 1")
    write_text("/proc/self/gid_map", f"{NOBODY} {outer_gid} 1")


def drop_root():
    """Root becomes nobody on the host: root defeats RLIMIT_NPROC, and file permissions should hold."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    checked(prctl(PR_SET_DUMPABLE, 1), "dumpable")  # else /proc/self belongs to root and uid_map cannot be written


def set_read_only(path):
    """Read-only for the mount and everything below it where the kernel can (5.12), else for the one mount."""
    attributes = (ctypes.c_uint64 * 4)(MS_RDONLY | MS_NOSUID, 0, 0, 0)
    try:
        syscall(MOUNT_SETATTR, ctypes.c_int(-100), ctypes.c_char_p(path.encode()), ctypes.c_uint(0x8000),
                ctypes.byref(attributes), ctypes.c_size_t(32))
    except OSError:
        mount(None, path, None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID)


def bind(source, root):
    """Shows one file or folder of the host, read-only, below `root`; a symbolic link is copied."""
    target = root + source
    if not os.path.lexists(source) or os.path.lexists(target):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
        return
    if os.path.isdir(source):
        os.mkdir(target)
    else:
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
    mount(source, target, None, MS_BIND | MS_REC)
    set_read_only(target)


def visible_paths():
    """What graded code may read: the interpreter and the system libraries, no data folders."""
    paths = ["/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/share/zoneinfo", "/bin", "/lib", "/lib32", "/lib64",
             "/etc/ld.so.cache", "/etc/localtime"]
    for prefix in (sys.base_prefix, sys.prefix, sys.base_exec_prefix):
        if prefix != "/usr":
            paths += [prefix + "/bin", prefix + "/lib"]
    return paths


# No /dev/zero: a shared mapping of it is memory that belongs to nobody once it shrinks.
DEVICES = ("/dev/null", "/dev/full", "/dev/random", "/dev/urandom")


def shared_tmp():
    """Only where each submission has no /tmp of its own, which is a test's doing."""
    mount("shared", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,mode=1777")


def build_root():
    """A small root of our own: libraries and devices bound in, /proc for later, /tmp empty. Nothing of the host's home,
    configuration or data is in it. The old root is detached."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    root = "/tmp"  # any folder serves as the place to mount on
    mount("plumbline", root, "tmpfs", MS_NOSUID | MS_NODEV, "size=1m,mode=755")
    for path in visible_paths():
        bind(path, root)
    for folder in ("/proc", "/tmp", "/dev", "/etc"):
        os.makedirs(root + folder, exist_ok=True)
    for device in DEVICES:
        os.close(os.open(root + device, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o666))
        mount(device, root + device, None, MS_BIND)
        set_read_only(root + device)  # they can be written all the same, but keep their times
    os.symlink("/proc/self/fd", root + "/dev/fd")
    os.symlink("/tmp", root + "/dev/shm")
    os.makedirs(root + "/var", exist_ok=True)
    os.symlink("/tmp", root + "/var/tmp")
    write_text(root + "/etc/passwd", f"nobody:x:{NOBODY}:{NOBODY}:nobody:/nonexistent:/bin/false\n")
    write_text(root + "/etc/group", f"nogroup:x:{NOBODY}:\n")
    # A fresh /proc may only be mounted by someone who already sees one.
    mount("/proc", root + "/proc", None, MS_BIND | MS_REC)
    os.chdir(root)
    syscall(PIVOT_ROOT, ctypes.c_char_p(b"."), ctypes.c_char_p(b"."))
    checked(libc.umount2(b".", ctypes.c_int(MNT_DETACH)), "umount old root")
    os.chdir("/")
    if on("read_only_root"):
        mount(None, "/", None, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV)


def enter_worker_namespaces():
    """Once a worker: the network has no interface, the root is ours and read-only."""
    uid, gid = os.geteuid(), os.getegid()
    network = CLONE_NEWNET if on("net_namespace") else 0
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | network
    checked(libc.unshare(ctypes.c_int(flags)), "unshare")
    map_to_nobody(uid, gid)
    if on("host_root"):
        build_root()
    if not on("private_tmp"):
        shared_tmp()


def landlock_version():
    try:
        return syscall(LANDLOCK_CREATE_RULESET, ctypes.c_void_p(None), ctypes.c_size_t(0), ctypes.c_uint(1))
    except OSError:
        return 0


def landlock_allow(ruleset, path, access):
    class PathBeneath(ctypes.Structure):
        _pack_ = 1
        _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]

    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    if not os.path.isdir(path):
        access &= 0b111 | 1 << 14  # execute, write, read, truncate
    rule = PathBeneath(access, descriptor)
    try:
        syscall(LANDLOCK_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(1), ctypes.byref(rule), ctypes.c_uint(0))
    finally:
        os.close(descriptor)


def load_landlock(version, folder):
    """Reads the system libraries, writes `folder`, nothing else; no TCP (4), no signals to outside (6)."""
    files = (1 << 13) - 1
    if version >= 2:
        files |= 1 << 13
    if version >= 3:
        files |= 1 << 14
    network = 0b11 if version >= 4 else 0
    scoped = 0b11 if version >= 6 else 0
    attributes = (ctypes.c_uint64 * 3)(files, network, scoped)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = syscall(LANDLOCK_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint(0))
    for path in visible_paths():
        landlock_allow(ruleset, path, 0b1101)  # execute, read file, read folder
    for device in DEVICES:
        landlock_allow(ruleset, device, 0b110)
    landlock_allow(ruleset, folder, files)
    syscall(LANDLOCK_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    os.close(ruleset)
