"""In which phase of a recording each of the calls is that call.c has listed."""

PHASES = ["planning", "mapping stubs", "holding and loading", "attaching", "patching", "running", "detaching", "closing"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


def calls_of(path):
    return read(path).decode().splitlines()


def phases(calls):
    """The phase that each of the calls is in."""
    at = "planning"
    for call in calls:
        name = call.split()[0]
        if at == "planning" and name.startswith("ptrace"):
            at = "mapping stubs"
        elif at in ("planning", "mapping stubs") and name == "signalfd4":
            at = "holding and loading"
        elif at == "holding and loading" and name in ("bpf.28", "perf_event_open"):
            at = "attaching"
        elif at == "attaching" and name == "eventfd2":
            at = "patching"
        elif at == "patching" and name == "poll":
            at = "running"
        elif at == "running" and (name in ("pipe2", "clone") or name.startswith("ptrace")):
            at = "detaching"
        elif at == "detaching" and name == "write":
            at = "closing"
        yield at
