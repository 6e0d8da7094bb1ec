#!/bin/bash
# Where the time of an HTTP server goes that waits for a lock, sleeps in a query and computes, as gotrace, Go's own
# profiles, go tool trace and fgprof tell it, against what the server measured of itself in that very run.
#
#   sudo experiments/where-time-goes/run.sh      ROUNDS=5, QUICK=1, GOTRACE=build/gotrace
#
# Each run writes results/where-time-goes/<run-id>/: rows.csv (never edited), environment.txt, summary.md. In a round
# every tool has one run of its own. QUICK=1: one round, into a folder that is thrown away. WORK=DIR keeps the
# built server there.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 1 || echo 5)}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "where-time-goes: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo make experiment-where-time-goes"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure where-time-goes
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-where.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
work=${WORK:-$scratch/work}
mkdir -p "$work"
if [ ! -x "$work/server" ]; then
	cp "$here/server.go.in" "$work/main.go"
	(cd "$work" && { [ -e go.mod ] || go mod init where 2>/dev/null; } && go get github.com/felixge/fgprof@v0.9.5 2>/dev/null && go build -o server .)
fi

[ -z "$quick" ] || RESULTS=$scratch/results
begin_run
out=$(realpath "$out") # the rows are written from elsewhere
note fgprof v0.9.5
note rounds "$rounds"
echo round,tool,question,truth_s,told_s,wall_s,cpu_s >"$out/rows.csv"
cd "$scratch"

# row TOOL QUESTION TOLD_S: of the run whose truth is in truth; TOLD empty: the tool does not tell.
row() {
	awk -v round="$round" -v tool="$1" -v question="$2" -v told="$3" '{ v[$1] = $2 } END {
		printf "%s,%s,%s,%s,%s,%s,%s\n", round, tool, question, v[question], told, v["wall"], v["cpu"] }' truth >>"$out/rows.csv"
}
# cum FUNC FOCUS PROFILE: seconds of stacks that match FOCUS and have FUNC, or nothing.
cum() {
	go tool pprof -top -cum -unit=s -nodefraction=0 -focus="$2" "$work/server" "$3" 2>/dev/null |
		awk -v f="$1" '$NF == f || $(NF - 1) == f { sub(/s$/, "", $4); print $4; exit }'
}
# column CSV NAME COLUMN [REASON]: of the function's row, in seconds.
column() {
	awk -F, -v f="$2" -v c="$3" -v why="${4:-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $1 == f && (why == "" || $2 == why) { printf "%.6f", $at[c] / 1e9; exit }' "$1"
}

ask_untraced() { "$work/server" >truth; for q in lock query busy; do row untraced $q ''; done; }
ask_record() { # OPTION...
	"$GOTRACE" record "$@" -p main -o trace -- "$work/server" >truth
	"$GOTRACE" report trace -F csv >report.csv
	"$GOTRACE" report trace --by=reason -F csv >reason.csv
	row "gotrace record" lock "$(column reason.csv main.locked wait_ns sync.Mutex.Lock)"
	row "gotrace record" query "$(column reason.csv main.query wait_ns sleep)"
	row "gotrace record" busy "$(column report.csv main.busy run_ns)"
}
ask_sample() {
	"$GOTRACE" sample -F 999 -o trace -- "$work/server" >truth
	"$GOTRACE" report trace -F csv -n 0 >report.csv
	cpu=$("$GOTRACE" info trace | awk '$1 == "end.sampled_cpu_ns" { print $2 / 1e9 }')
	row "gotrace sample" lock ''
	row "gotrace sample" query ''
	row "gotrace sample" busy "$(awk -F, -v cpu="$cpu" '$1 == "main.busy" { printf "%.6f", $3 / 100 * cpu }' report.csv)"
}
ask_go() { # PROFILE
	"$work/server" "$1" profile >truth
	case $1 in
	trace)
		go tool trace -pprof=sync profile >sync 2>/dev/null
		row "go tool trace" lock "$(cum main.locked 'main\.locked' sync)"
		row "go tool trace" query "$(cum main.query 'main\.query' sync)"
		row "go tool trace" busy "$(cum main.busy 'main\.busy' sync)" ;;
	fgprof)
		row fgprof lock "$(cum main.locked 'Mutex.*lockSlow' profile)"
		row fgprof query "$(cum main.query 'main\.query' profile)"
		row fgprof busy "$(cum main.busy 'main\.busy' profile)" ;;
	*)
		row "pprof $1" lock "$(cum main.locked 'main\.locked' profile)"
		row "pprof $1" query "$(cum main.query 'main\.query' profile)"
		row "pprof $1" busy "$(cum main.busy 'main\.busy' profile)" ;;
	esac
}
for round in $(seq "$rounds"); do
	echo "where-time-goes: round $round of $rounds" >&2
	ask_untraced
	ask_record --states
	ask_sample
	for profile in cpu block mutex trace fgprof; do ask_go $profile; done
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
