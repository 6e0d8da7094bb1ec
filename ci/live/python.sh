#!/bin/bash
# gotrace sample: the functions of Python programs, with the interpreters of this machine.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# interpreter 3.N: prints the path of a CPython of that version. PYTHON_3_N names one that is elsewhere.
interpreter() {
	local named=PYTHON_${1/./_} path
	for path in "${!named:-}" "/usr/bin/python$1" "/usr/local/bin/python$1" "$HOME/.pyenv/versions/$1".*/bin/"python$1"; do
		[ -x "$path" ] && "$path" -c 'import sys; sys.exit(sys.implementation.name != "cpython")' && { echo "$path"; return; }
	done
	return 1
}

# Two of three parts of the time are in two(), by the number of turns. sorted() and map() are C, and call Python.
program() {
	cat >split.py <<-'END'
		import sys, threading, time

		def leaf(turns):
		    s = 0
		    for i in range(turns):
		        s += i & 3
		    return s

		def two():
		    leaf(2000)

		def one():
		    leaf(1000)

		class Shop:
		    def key(self, x):
		        leaf(20)
		        return -x

		    def sort(self):
		        return sorted(range(50), key=self.key)

		def down(n):
		    return leaf(3000) if n == 0 else down(n - 1)

		def größe():
		    return sum(leaf(10) for i in range(100))

		def work(sec):
		    shop = Shop()
		    end = time.thread_time() + sec
		    while time.thread_time() < end:
		        two()
		        one()
		        shop.sort()
		        down(100)
		        größe()

		def main():
		    print("begun", flush=True)
		    # A busy machine attaches late: there are threads up to the end.
		    for part in range(8):
		        other = threading.Thread(target=work, args=(float(sys.argv[1]) / 32,))
		        other.start()
		        work(float(sys.argv[1]) / 8)
		        other.join()

		main()
	END
}

# The split is right, each name is exact, and C that Python calls is between the two that it is between.
check_rows() {
	local all known
	near "$(count ';work;two(;leaf)?(;[^;]*)*$' <rows)" "$(count ';work;one(;leaf)?(;[^;]*)*$' <rows)" 0.6667 300
	# Nothing of the interpreter's is between two functions in Python. C is between sorted() and its key.
	[ "$(count ';split.py:<module>;main;work;two;leaf$' <rows)" -gt 0 ] || fail "no path from <module>"
	[ "$(count ';Shop\.sort;[^;]+.*;Shop\.key;leaf' <rows)" -gt 10 ] || fail "no callback from C"
	[ "$(count ';Shop\.sort;Shop\.key' <rows)" = 0 ] || { grep 'sort;Shop.key' rows; fail "C is missing before a callback"; }
	[ "$(count ';work;down(;[^;]*)?;leaf' <rows)" -gt 10 ] || fail "no recursion"
	[ "$(count ';größe;.*größe\.<locals>\.<genexpr>;leaf' <rows)" -gt 5 ] || fail "no generator below sum()"
	[ "$(count ';Thread\._bootstrap;Thread\._bootstrap_inner;Thread\.run;.*work;(two|one)' <rows)" -gt 50 ] || fail "no thread"
	all=$(count . <rows)
	known=$(count '<module>|Thread\._bootstrap' <rows)
	echo "$known of $all below a function in Python, $(count EvalFrameDefault <rows) in an evaluator," \
		"$(count 'unreadable Python' <rows) without names"
	[ $((100 * known)) -ge $((95 * all)) ] || fail "stacks without Python frames"
	[ $((100 * $(count EvalFrameDefault <rows))) -le $((2 * all)) ] || fail "evaluators without Python frames"
	[ "$(count 'unreadable Python' <rows)" = 0 ] || fail "functions without names"
}

launched() { # VERSION
	local python
	python=$(interpreter "$1") || skip "no CPython $1 here"
	program
	gt sample -F 999 -o trace -- "$python" split.py 2 >out
	paths trace >rows
	check_rows
	gt dump trace >dump
	expect_grep 'split\.py' dump
}

attached() { # VERSION
	local python pid
	python=$(interpreter "$1") || skip "no CPython $1 here"
	program
	"$python" split.py 4 >said &
	pid=$!
	wait_for 60 grep -q begun said
	gt sample -F 999 -o trace --pid "$pid" >out
	paths trace >rows
	check_rows
}

for version in 3.11 3.12 3.13; do
	check "Python $version" launched "$version"
	check "Python $version, a process that runs" attached "$version"
done

# any: prints the first interpreter.
any() { interpreter 3.11 || interpreter 3.12 || interpreter 3.13; }

# A forked process has the functions of its parent, an executed one has its own. All of them end at once.
children() {
	local python n
	python=$(any) || skip "no CPython 3.11 to 3.13 here"
	cat >children.py <<-'END'
		import os, subprocess, sys, time

		def spin(sec):
		    end = time.process_time() + sec
		    while time.process_time() < end:
		        sum(range(100))

		def forked():
		    spin(0.5)

		def executed():
		    spin(0.5)

		if len(sys.argv) > 1:
		    executed()
		    sys.exit()
		for _ in range(2):
		    pid = os.fork()
		    if pid == 0:
		        forked()
		        os._exit(0)
		    os.waitpid(pid, 0)
		    subprocess.run([sys.executable, __file__, "again"])
	END
	gt sample -F 499 -o trace -- "$python" children.py
	paths trace >rows
	cut -c1-300 rows | sort -rn | head -5
	for n in forked executed; do
		[ "$(count "children\.py:<module>;$n;spin" <rows)" -gt 350 ] || fail "$n: $(count "$n" <rows) samples"
	done
}
check "Python that forks and executes Python" children

# A function whose code and names are in the memory of another one's has its own name.
reused() { # VERSION
	local python
	python=$(interpreter "$1") || skip "no CPython $1 here"
	cat >reused.py <<-'END'
		import ctypes, sys, time

		space = {}
		exec("def first_name(sec):\n    end = time.process_time() + sec\n    while time.process_time() < end:\n        sum(range(100))\n",
		     {"time": time}, space)
		f = space["first_name"]
		f(1)
		ctypes.memmove(id(f.__code__.co_qualname) + sys.getsizeof("") - 1, b"other", 5)
		f(1)
	END
	gt sample -F 999 -o trace -- "$python" reused.py >out
	paths trace >rows
	near "$(count ';first_name' <rows)" "$(count ';other_name' <rows)" 0.5 400
}
for version in 3.11 3.12 3.13; do
	check "Python $version, a function in the memory of another" reused "$version"
done

# A process whose frames lead in a circle, or nowhere, neither stops gotrace nor makes it fail.
damaged() {
	local python
	python=$(any) || skip "no CPython 3.11 to 3.13 here"
	cat >damaged.py <<-'END'
		import ctypes, os, random, struct, time

		def find(state):
		    """Addresses in the thread's state that point to memory that can be written."""
		    own = [(int(a, 16), int(b, 16)) for a, b in
		           (line.split()[0].split("-") for line in open("/proc/self/maps") if " rw-p " in line)]
		    return [x for x in struct.unpack("64Q", ctypes.string_at(state, 512)) if any(a <= x < b - 4096 for a, b in own)]

		def spin(sec):
		    end = time.process_time() + sec
		    while time.process_time() < end:
		        sum(range(1000))

		def spoil():
		    ctypes.pythonapi.PyThreadState_Get.restype = ctypes.c_void_p
		    state = ctypes.pythonapi.PyThreadState_Get()
		    for at in find(state)[:12]:
		        before = ctypes.string_at(at, 96)
		        for fill in (struct.pack("Q", at) * 12, b"\xff" * 96, struct.pack("Q", 0x1000) * 12):
		            if os.fork() == 0: # whom it kills is a child
		                ctypes.memmove(at, fill, 96)
		                for _ in range(300000):
		                    pass
		                os._exit(0)
		            os.wait()

		spin(0.5)
		spoil()
		spin(0.5)
	END
	gt sample -F 4999 -o trace -- "$python" damaged.py 2>err || { cat err; fail "status $?"; }
	paths trace >rows
	[ "$(count 'damaged\.py:<module>;spin' <rows)" -gt 1000 ] || fail "the process itself: $(count spin <rows)"
}
check "Python with damaged frames" damaged

# The agent gives the functions to each of its profiles.
agent() {
	local python pid agent f
	python=$(any) || skip "no CPython 3.11 to 3.13 here"
	command -v sqlite3 >/dev/null || skip "sqlite3 is not installed"
	program
	"$python" split.py 600 >said &
	pid=$!
	wait_for 60 grep -q begun said
	echo '{ "interval": "1s", "frequency": 199, "store": { "directory": "'"$PWD"'/store" }, "others": "drop",
		"rules": [{"match": {"executable": "*/python3*"}, "service": "shop"}] }' >agent.json
	"$GOTRACE" agent --config agent.json >out 2>err &
	agent=$!
	wait_for 120 eval '[ "$(sqlite3 store/index.db "SELECT count(*) FROM profiles WHERE service = '"'shop'"'" 2>/dev/null || echo 0)" -ge 8 ]'
	kill -TERM "$agent"
	wait "$agent" || fail "the agent ended with status $?: $(cat err)"
	kill "$pid"
	for f in store/*/*shop*.gotrace; do paths "$f"; done >rows
	check_rows
}
check "Python below the agent" agent

done_testing
