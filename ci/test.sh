#!/bin/bash
# `make test`, and with more steps .ci/run: every step on a push, each timed. Live tests need root: with sudo where there is one.
#
#   ci/test.sh [vm] [perun] [perfetto] [consumers]      these steps as well
#
# A step whose inputs did not change since the merge base is left out, and named at the end; ALL=1 runs all of them (changed.sh).
# Seconds of each part: $O/ci-times.tsv. ci/README.md says what each step protects; ci/nightly.sh has the long ones.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
# shellcheck source=times.sh
. ci/times.sh
# shellcheck source=changed.sh
. ci/changed.sh
also=" $* "
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
mkdir -p build
[ -n "$CI_STEP" ] || begin_times

if changed=$(changed_files); then everything=; else everything=$changed; fi
left_out=$logs/left-out
: >"$left_out"

# step NAME COMMAND...: runs it and adds its totals.
step() {
	local name=$1 start=$SECONDS log status before=$((passed + failed + skipped)) processor
	children_time
	processor=$children_seconds
	shift
	log=$logs/${name//[^a-z0-9]/-}
	printf '\n== %s\n' "$name"
	CI_STEP=${CI_STEP:+$CI_STEP/}$name "$@" >"$log" 2>&1 </dev/null
	status=$?
	grep -avE '^  (CC|AR|LINK|BPF|PROTO|PAGE|AS) ' "$log"
	add_script "$log" "$status"
	children_time
	time_row "$name" $((SECONDS - start)) $((passed + failed + skipped - before)) $((children_seconds - processor))
	printf -- '-- %s: %s, %d s\n' "$name" "$([ "$status" = 0 ] && echo ok || echo FAILED)" $((SECONDS - start))
}
# step_of INPUTS NAME COMMAND...: the same, where a file has changed whose path matches the regular expression INPUTS.
step_of() {
	if [ -n "$everything" ] || grep -qE "$1" <<<"$changed"; then
		step "${@:2}"
	else
		echo "$2" >>"$left_out"
	fi
}
# also NAME ...: step_of, where the command line names the step.
also() {
	[[ $also != *" $1 "* ]] || step_of "${@:2}"
}
# side_by_side LANE LANE: both functions at once; the second one's output comes when both have ended.
side_by_side() {
	local lane status
	set -m # a process group of its own, which ends with this script
	(
		passed=0 failed=0 skipped=0
		"$2"
		totals
	) >"$logs/lane" 2>&1 &
	lane=$!
	set +m
	# shellcheck disable=SC2064 # this lane
	trap "kill -TERM -- -$lane 2>/dev/null; exit 130" INT TERM
	"$1"
	wait "$lane"
	status=$?
	trap - INT TERM
	sed '$d' "$logs/lane"
	add_script "$logs/lane" "$status"
}

build() { make --no-print-directory "-j$(nproc)" "$@"; }
target() { make --no-print-directory "$@"; }
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo --preserve-env=CI_STEP,CI_TIMES,NODEPS env "PATH=$PATH")
root_step() { # NAME COMMAND...
	if [ ${#as_root[@]} = 0 ] || command -v sudo >/dev/null; then
		step "$1" "${as_root[@]}" "${@:2}"
	else
		skip "$1" 'neither root nor sudo'
	fi
}
packages() {
	ci/deps.sh build test go paper || return
	ci/deps.sh page || echo 'no Chromium: the page is not tested'
	[ "$also" = '  ' ] || ci/deps.sh matrix experiment tools
}

program='^(core|bpf|fixtures)/|^Makefile$|^ci/(deps|test|totals)\.sh$'
outputs='^core/(base|stats|trace|symbols|rings|model|keep|analysis|report|export)/|^fixtures/|^Makefile$|^ci/(deps|test|totals)\.sh$'
documents='\.md$|\.md\.in$|^(results|paper|experiments|ci|core/stats)/'
scripts='^(ci|experiments|core|bpf|packaging|\.ci|\.github)/|^Makefile$'

first() {
	step 'packages' packages
	export NODEPS=1
	step 'build' build all tests
	step 'layers' ci/layers.sh
	step 'format' ci/format.sh
	step 'build with clang' build clang
	step 'unit tests' target unit
	step 'build with sanitizers' build SAN=1 tests replays
	step 'unit tests with ASan and UBSan' target SAN=1 unit
	step 'corpora of the fuzzers' ci/fuzz.sh replay
}
lane_of_machines() {
	also vm "$program|^ci/(vm|live)" 'VM of the newest kernel' target test-vm KERNEL="$(ci/vm/kernel.sh --list run)" TOPICS='doctor links attach replay experiment-overhead' \
		OVERHEAD=greet SECONDS_MAX=1500
	also consumers "$program|^ci/consumers" 'exports in pandas, DuckDB, inferno' target test-consumers
	also perfetto "$outputs|^ci/perfetto" 'exports in Perfetto' target test-perfetto
	also perun "$program|^ci/perun" 'profiles in Perun' target test-perun
}
lane_of_files() {
	step 'recorded traces replayed' env GOTRACE="$PWD/build/gotrace" fixtures/traces/replay.sh
	step_of "$outputs|^paper/figures|^ci/check-figures" 'figures show what the report says' \
		ci/check-figures.py build/gotrace paper/figures/greet.gotrace paper/figures/ants.gotrace
	step_of "$outputs|^README|^paper/figures|^ci/check-examples" 'examples are what gotrace prints' ci/check-examples.py build/gotrace
	step_of "$outputs|^ci/page" 'the page in Chromium' ci/page/run.sh
	step_of "$scripts" 'Makefile and scripts' ci/scripts-test.sh
	step_of "$scripts" 'what experiments share' ci/experiments-test.sh
	step_of "$scripts" 'scripts of the regression table' ci/regress/test.sh
	step_of "$scripts" 'scripts of the VMs' ci/vm/test.sh
	step_of "$documents" 'rows in results say what was measured' ci/check-results.sh
	step_of "$documents" 'documents say what the rows say' ci/check-paper.sh
	step_of "$documents" 'what documents say wrongly is noticed' ci/paper-test.sh
	step_of "$documents|^(core|bpf|fixtures|packaging)/" 'documents and messages are in plain English' ci/prose.sh
	step 'calls that fail, some of each command' ci/faults.sh 8
	root_step 'kills and damaged binaries, a few' make --no-print-directory NODEPS=1 torture KILLS=5 MUTANTS=10
	root_step 'live tests' make --no-print-directory NODEPS=1 live
}
first
side_by_side lane_of_files lane_of_machines

printf '\n%d s in all; the longest parts (%s):\n' "$SECONDS" "$CI_TIMES"
longest_times 10
[ -z "$everything" ] || echo "every step had to run: $everything"
[ ! -s "$left_out" ] || echo "left out, since nothing that they read has changed: $(paste -sd, "$left_out" | sed 's/,/, /g') (ALL=1 runs them)"
ci/nightly.sh --ages
totals
