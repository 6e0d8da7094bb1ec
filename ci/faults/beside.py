"""Runs side by side, each process of them in a folder of its own with copies of the programs: a probe is in a file, for all who
execute it."""
import contextlib
import multiprocessing
import os
import shutil
import tempfile

# After so long a run hangs. On a loaded machine the kernel needs a second to take out each of the hundred probes of one that
# was killed, and all who use perf wait for each other there.
PATIENCE_S = 1800
WAITING = 4 * (os.cpu_count() or 1)  # processes for what waits most of its time, as record does


def own_folder(top, programs):
    folder = tempfile.mkdtemp(dir=top)
    os.chmod(folder, 0o755)  # some of what runs there is nobody's
    os.mkdir(os.path.join(folder, "work"))
    for program in programs:
        shutil.copy2(program, folder)
    os.chdir(os.path.join(folder, "work"))


@contextlib.contextmanager
def side_by_side(jobs, prefix, programs=()):
    """A pool of processes. Each, and this one, are in a folder WORK of their own now; copies of programs are above it."""
    with tempfile.TemporaryDirectory(prefix=prefix) as top:
        os.chmod(top, 0o755)
        own_folder(top, programs)
        with multiprocessing.get_context("fork").Pool(jobs, own_folder, (top, programs)) as pool:
            yield pool
        os.chdir("/")
