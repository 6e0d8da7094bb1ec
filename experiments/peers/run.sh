#!/bin/bash
# The same five questions put to gotrace, uftrace (of the same program in C), Delve, bpftrace, perf, and Go's own execution trace
# and CPU profile: what has to be typed, and whether the answer is right.
#
#   sudo experiments/peers/run.sh      ci/deps.sh peers installs the tools
#
# GOTRACE=   the command, build/gotrace
# RESULTS=   where to put the results, results/peers
# RUNS=5     how often each question is put
# QUICK=1    once, on any machine
#
# Writes a folder: answers.csv (a row for each tool, question and repetition), typed/ (the commands), said/ (what the
# tools printed the last time), environment.txt, and summary.md, which summary.sh prints.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare peers 5
DELVE=v1.27.2
ulimit -l unlimited 2>/dev/null || true
begin_run
note runs "$rounds"
mkdir -p "$out/typed" "$out/said"
GOBIN=$scratch go install "github.com/go-delve/delve/cmd/dlv@$DELVE"
PATH=$scratch:$(dirname "$GOTRACE"):$PATH
export PATH
(cd "$here" && go build -o "$scratch/shop" shop.go && "${CC:-cc}" -O1 -g -pg -pthread shop.c -o "$scratch/shop_c")
cd "$scratch"

# shellcheck source-path=SCRIPTDIR source=questions.sh
. "$here/questions.sh"

perf_unprobe() { ! command -v perf >/dev/null || perf probe -qd 'probe_shop:*' 2>/dev/null || true; }
trap 'perf_unprobe; rm -rf "$scratch"' EXIT
[ -w /sys/kernel/tracing/uprobe_events ] || mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null || true
program_of() { # TOOL
	case $1 in
	delve) echo dlv ;;
	exectrace | cpuprofile) echo go ;;
	*) echo "$1" ;;
	esac
}
answer_of() { # TOOL QUESTION: asks, and says what the answer is: right, part, wrong; none: there is nothing to type; "not run"
	local typed=typed_$1_$2
	typed=${!typed}
	if [ -z "$typed" ]; then
		echo none
		return
	fi
	if ! command -v "$(program_of "$1")" >/dev/null; then
		echo "not run"
		return
	fi
	rm -rf uftrace.data* gotrace.out*
	perf_unprobe
	echo "$typed" >"$out/typed/$2.$1"
	timeout 120 bash -c "$typed" >said 2>&1 || true
	cut -c 1-240 said | sed "s|$scratch|SCRATCH|g; s|$top/||g" >"$out/said/$2.$1.txt"
	"answer_$1_$2" <said >answer || true
	if cmp -s truth answer; then
		echo right
	elif [ -s answer ] && [ "$(wc -l <answer)" -lt "$(wc -l <truth)" ]; then
		echo part
	else
		echo wrong
	fi
}

cp "$here/shop.go" .
echo tool,question,repetition,characters,answer >"$out/answers.csv"
started=$(date +%s)
for repetition in $(seq "$rounds"); do
	[ "$repetition" = 1 ] || left=", about $(((rounds - repetition + 1) * ($(date +%s) - started) / (repetition - 1) / 60 + 1)) minutes left"
	echo "peers: repetition $repetition of $rounds${left:-}" >&2
	for question in arguments results slow inside callers; do
		"truth_$question" >truth
		for tool in gotrace uftrace delve bpftrace perf exectrace cpuprofile; do
			typed=typed_${tool}_$question
			echo "$tool,$question,$repetition,$(printf %s "${!typed}" | wc -m),$(answer_of "$tool" "$question")" | tee -a "$out/answers.csv"
		done
	done
done
note uftrace "$(uftrace --version 2>/dev/null | sed 's/ (.*//')"
note bpftrace "$(bpftrace --version 2>/dev/null)"
note perf "$(perf --version 2>/dev/null)"
note delve "$DELVE"
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
