#!/bin/bash
# Profiles of gotrace in the real Perun: perun-toolsuite of PyPI in a virtual environment (1.5 GB, some
# minutes when it is made). Recorded traces are exported, so only the last test needs root.
#
#   ci/perun.sh        $GOTRACE is the command to test, $O the folder for the environment
# shellcheck disable=SC2317 # tests are functions that are called by name
set -u
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
top=$(cd "$(dirname "$0")/.." && pwd)
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}") O=$(realpath -m "${O:-$top/build}")
export GOTRACE
venv=$O/venv-perun traces=$top/fixtures/traces
# shellcheck source=totals.sh
. "$top/ci/totals.sh"

if ! "$venv/bin/perun" --version >/dev/null 2>&1; then
	echo "perun-toolsuite is being installed into $venv"
	if ! "$top/ci/venv.sh" "$venv" perun-toolsuite >"$O/venv-perun.log" 2>&1; then
		tail -n 3 "$O/venv-perun.log"
		skip Perun 'perun-toolsuite does not install here'
		totals
		exit
	fi
fi
"$venv/bin/perun" --version
work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-perun.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PATH=$venv/bin:$PATH
export HOME=$work GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@localhost GIT_COMMITTER_NAME=test \
	GIT_COMMITTER_EMAIL=test@localhost
mkdir "$work/repo" && cd "$work/repo" || exit 1
git init -q . && git commit -q --allow-empty -m first
perun() { "$venv/bin/perun" --no-pager -nc "$@"; }

export_as() { # TRACE OUT [OPTION...]
	local trace=$traces/$1.gotrace out=$2
	shift 2
	"$GOTRACE" export --format=perun --origin="$(git rev-parse HEAD)" --host=here -o "$out" "$@" "$trace"
}

init() {
	perun init --vcs-type=git </dev/null && [ -d .perun ] &&
		printf 'degradation:\n  strategy:\n    - method: average_amount_threshold\n' >>.perun/local.yml &&
		export_as chain.go1.27.thesis a.perf --perun-layout=stacks &&
		export_as chain.go1.19.thesis b.perf --perun-layout=stacks
}

tableof() {
	perun show a.perf tableof --to-stdout resources >"$work/table" && cat "$work/table" &&
		grep -q 'main.main;\[go\]main.left;main.left;\[go\]main.right;main.right' "$work/table" &&
		[ "$(grep -c ' exclusive ' "$work/table")" = "$(grep -c '"uid"' a.perf)" ]
}

# What Perun draws and compares are these lines, but for what held up prologues, which is no function's.
stacks() {
	local t
	for t in chain.go1.27.thesis recursion.emulated panics.thesis; do
		export_as "$t" s.perf --perun-layout=stacks || return 1
		"$GOTRACE" export --format=folded -o want.folded "$traces/$t.gotrace" || return 1
		"$venv/bin/python" - s.perf >got.folded <<-'EOF' || return 1
			import json, sys
			from perun.profiles.conversions import native_folded
			from perun.profiles.native import Profile
			for stack, amount in native_folded.native_to_folded(Profile(json.load(open(sys.argv[1])))):
			    if amount:
			        print(stack, amount)
		EOF
		diff <(grep -v '\[\(preempted\|stack growth\)\] [0-9]*$' want.folded | LC_ALL=C sort) <(LC_ALL=C sort got.folded) || return 1
	done
}

# Perun 0.28 stops its drawing script as soon as it has started it, so that the file may be empty
# (processes.nonblocking_subprocess): the same script is given what Perun gives it.
flamegraph() {
	perun show a.perf flamegraph -o a.svg && [ -e a.svg ] &&
		"$venv/bin/python" "$("$venv/bin/python" -c 'import perun; print(perun.__path__[0])')/scripts/flamegraph.py" \
			got.folded >drawn.svg && grep -q "<title>main.fall" drawn.svg
}

add() {
	cp a.perf kept.perf && perun add kept.perf && perun status >"$work/status" && cat "$work/status" &&
		grep -q 'kept.perf' "$work/status" && perun show 0@i tableof --to-stdout resources | grep -q main.next
}

add_foreign() { # of another commit: Perun must refuse it, or our origin would mean nothing
	sed 's/"origin":"[0-9a-f]*"/"origin":"0123456789012345678901234567890123456789"/' a.perf >foreign.perf &&
		! perun add foreign.perf
}

showdiff() {
	perun showdiff report -o report.html native a.perf b.perf && grep -q 'main.next' report.html &&
		perun showdiff flamegraph -o grid.html a.perf b.perf && grep -q 'main.right' grid.html &&
		perun showdiff short a.perf b.perf | grep -q 'main.left'
}

check() {
	"$venv/bin/python" - <<-'EOF' &&
		import json
		d = json.load(open('a.perf'))
		for r in d['global']['resources']:
		    if r['uid'].endswith(';main.right'):
		        r['amount'] *= 4
		json.dump(d, open('slow.perf', 'w'))
	EOF
		perun check profiles a.perf slow.perf >"$work/check" && cat "$work/check" &&
		grep -A 1 'main.left;\[go\]main.right;main.right' "$work/check" | grep -q '4.0x: time Degradation' &&
		grep -q '0 optimizations(+), 1 degradation(-)' "$work/check" &&
		perun check profiles a.perf a.perf | grep -q '0 optimizations(+), 0 degradations(-)'
}

import_folded() {
	"$GOTRACE" export --format=folded -o chain.folded "$traces/chain.go1.27.thesis.gotrace" &&
		perun import -c ./chain -w 1000 -pn imported.perf -pd . perf stack chain.folded &&
		perun show imported.perf tableof --to-stdout resources | grep -q 'main.main;\[go\]main.left;main.left;\[go\]main.right;main.right'
}

layouts() {
	export_as go1 x.perf 2>/dev/null && return 1 # there is no such trace
	export_as chain.go1.27.thesis flat.perf &&
		perun show flat.perf tableof --to-stdout resources | grep -q 'main.main,\[go\]main.left,main.left,\[go\]main.r' &&
		export_as chain.go1.27.thesis legacy.perf --perun-layout=legacy &&
		perun show legacy.perf tableof --to-stdout resources | grep -q 'Callees Mean \[#\]'
}

collect() {
	"$top/fixtures/programs/build.sh" "$work/programs" plain && touch file && git add file && git commit -q -m second &&
		"$top/core/cli/gotrace-perun-collect" -- "$work/programs/noinline/plain" &&
		perun status >"$work/status" && cat "$work/status" && grep -q 'gotrace-\[plain\]-\[_\]-' "$work/status" &&
		grep -q '1 tracked profiles' "$work/status" && perun show 0@i tableof --to-stdout resources | grep -q 'main.tiny'
}

collect_wrong() {
	(cd / && ! "$top/core/cli/gotrace-perun-collect" -- true) && ! "$top/core/cli/gotrace-perun-collect" true &&
		! "$top/core/cli/gotrace-perun-collect" --
}

# Perun with our collector and the mended drawing, beside the installed one.
patched() {
	cp -r "$("$venv/bin/python" -c 'import perun; print(perun.__path__[0])')" "$work/patched/perun" &&
		patch -s -d "$work/patched" -p1 <"$top/packaging/perun/perun-0.28.patch" &&
		cp -r "$top/packaging/perun/gotrace" "$work/patched/perun/collect/"
}

perun_patched() { PYTHONPATH=$work/patched perun "$@"; }

patched_flamegraph() {
	mkdir -p "$work/patched" && patched && perun_patched show a.perf flamegraph -o whole.svg &&
		grep -q '<title>\[go\]main.left' whole.svg && tail -n 1 whole.svg | grep -q '</svg>'
}

collector() {
	perun_patched collect -c "$work/programs/noinline/plain" gotrace -p main -x main.inner &&
		perun_patched status >"$work/status" && cat "$work/status" && grep -q "1 untracked profiles" "$work/status" &&
		perun_patched show 0@p tableof --to-stdout resources >"$work/table" && cat "$work/table" &&
		grep -q 'main.main;main.outer;main.tiny' "$work/table" && ! grep -q 'main.inner' "$work/table"
}

collector_wrong() {
	! GOTRACE=/does/not/exist perun_patched collect -c true gotrace >"$work/wrong" 2>&1 && cat "$work/wrong" &&
		grep -q 'set GOTRACE' "$work/wrong" && ! perun_patched collect -c true gotrace
}

try 'a repository, two profiles' init
try 'show tableof has a row a path' tableof
try 'the stacks that Perun takes are those of folded' stacks
try 'show flamegraph' flamegraph
try 'show flamegraph of a patched Perun is whole' patched_flamegraph
try 'add, status, show of what was added' add
try 'a profile of another commit is refused' add_foreign
try 'showdiff report, flamegraph, short' showdiff
try 'check finds the path that got slower' check
try 'folded stacks are imported' import_folded
try 'other layouts load' layouts
try 'gotrace-perun-collect refuses what it cannot do' collect_wrong
if [ "$(id -u)" = 0 ] && [ -e /sys/bus/event_source/devices/uprobe ]; then
	try 'gotrace-perun-collect traces and adds' collect
	try 'perun collect gotrace, in a patched Perun' collector
	try 'perun collect gotrace refuses what it cannot do' collector_wrong
else
	skip 'gotrace-perun-collect traces and adds' 'not root, or no uprobes'
fi
totals
