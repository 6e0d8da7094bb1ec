#!/bin/bash
# What a traced call costs by strategy of probing and Go version on the running kernel, set against the last stored run: a
# report, which passes whatever it finds.
#
#   sudo experiments/regress-cost/run.sh
#
# RUNS=7          rounds that count; one more goes before them and is discarded
# QUICK=1         one round, two Go versions, on any machine
# GO="1.22.0 ..." these Go versions; those of ci/go-versions without it
# VARIANTS=       of: thesis emulated springboard inline
# RESUME=FOLDER   goes on with a run that was interrupted
# GOTRACE=        the command to measure, build/gotrace
# RESULTS=        where to put the results, results/regress-cost
#
# The loop is that of experiments/probe-cost: a function with a stack check and a frame, both its events recorded.
# Each run writes a folder: raw.csv (never edited), environment.txt, summary.csv, summary.md.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare regress-cost 7
variants="plain $(chosen variant 'thesis emulated springboard inline' "${VARIANTS:-thesis emulated springboard inline}")"
versions=${GO:-${QUICK:+1.22.0 1.26.8}}
versions=${versions:-$(grep -v '^#' "$top/ci/go-versions")}
for go in $versions; do
	use_go "$go" || exit 1
	# By its file: Go 1.19 looks for the package of a module in its own library if the module's name has no dot.
	(cd "$top/experiments/probe-cost/loop" && go build -buildvcs=false -trimpath -o "$scratch/loop-$go" main.go) ||
		cannot "the loop cannot be built with go$go"
done
cd "$scratch"

# What costs little needs many calls; what single-steps needs few. Events of a million calls fit into the ring.
calls_of() { # VARIANT
	case $1 in
	plain) echo 5000000 ;;
	inline) echo 1000000 ;;
	springboard) echo 50000 ;;
	emulated) echo 10000 ;;
	*) echo 4000 ;;
	esac
}
measure() { # GO VARIANT
	local args
	args=(-function framed -calls "$(calls_of "$2")" -out row)
	rm -f row trace
	if [ "$2" = plain ]; then
		"./loop-$1" "${args[@]}" || return 1
		echo "$(cat row),0,0"
		return
	fi
	"$GOTRACE" record -o trace --probe="$2" -f main.framed -- "./loop-$1" "${args[@]}" 2>log || { cat log >&2; return 1; }
	"$GOTRACE" info trace | awk -v row="$(cat row)" '
		{ value[$1] = $2 }
		END {
			if (value["end.events"] + 0 == 0) exit 1
			printf "%s,%.0f,%.0f\n", row, value["end.events"], value["end.lost_events"]
		}'
}
# The last run that is stored, has ended and is a result.
last_run() {
	local folder last=none
	for folder in "$top"/results/regress-cost/*/; do
		if grep -q '^load_at_end: ' "$folder/environment.txt" 2>/dev/null &&
			! grep -q '^quick: \|^forced: ' "$folder/environment.txt"; then
			last=$(basename "$folder")
		fi
	done
	echo "$last"
}

begin_run
build_stats "$scratch"
if [ -n "${RESUME:-}" ]; then earlier=$(stored earlier); else earlier=$(last_run); fi
fix earlier "$earlier"
# shellcheck disable=SC2086 # a list of words
measure_rounds plain "$variants" "$(echo $versions)" go calls,wall_ns,cpu_ns,events,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "rows: $out/raw.csv"
