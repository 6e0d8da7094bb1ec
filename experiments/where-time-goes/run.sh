#!/bin/bash
# Where the time of an HTTP server goes that waits for a lock, sleeps in a query and computes, as gotrace, Go's own
# profiles, go tool trace and fgprof tell it, against what the server measured of itself in that very run.
#
#   sudo experiments/where-time-goes/run.sh
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of fewer requests, on any machine
# WORKLOADS=    there is one: server
# VARIANTS=     besides untraced, of: record sample wall cpu block mutex trace fgprof
# GO= WORK= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/where-time-goes/<run-id>/: raw.csv (never edited), environment.txt, and derived from them summary.csv,
# summary.md. Every tool has a run of its own.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare where-time-goes 5
programs=$(chosen program server "${WORKLOADS:-server}")
tools='record sample wall cpu block mutex trace fgprof'
tools=$(chosen variant "$tools" "${VARIANTS:-$tools}")
keep_builds
requests=40 # times four of each client
[ -z "${QUICK:-}" ] || requests=5
where=$work/bin/where-$requests
if [ ! -x "$where" ]; then
	mkdir -p "$work/where.source"
	sed "s/^\(\trounds  = \)40/\1$requests/" "$here/server.go.in" >"$work/where.source/main.go"
	(cd "$work/where.source" && { [ -e go.mod ] || go mod init where 2>/dev/null; } && go get github.com/felixge/fgprof@v0.9.5 2>/dev/null &&
		go build -buildvcs=false -o "$where" .) || cannot "the server cannot be built"
fi

# cum FUNC FOCUS PROFILE: seconds of stacks that match FOCUS and have FUNC, or nothing.
cum() {
	go tool pprof -top -cum -unit=s -nodefraction=0 -focus="$2" "$where" "$3" 2>/dev/null |
		awk -v f="$1" '$NF == f || $(NF - 1) == f { sub(/s$/, "", $4); print $4; exit }'
}
# column CSV NAME COLUMN [REASON]: of the function's row, in seconds.
column() {
	awk -F, -v f="$2" -v c="$3" -v why="${4:-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && $1 == f && (why == "" || $2 == why) { printf "%.6f", $at[c] / 1e9; exit }' "$1"
}

# What a tool tells of the lock, the query and the busy handler, in seconds, each empty where it tells nothing; and the events it lost.
ask_untraced() { "$where" >truth && echo ,,,0; }
ask_record() {
	"$GOTRACE" record -p main -o trace -- "$where" >truth && "$GOTRACE" report trace -F csv >report.csv &&
		"$GOTRACE" report trace --by=reason -F csv >reason.csv || return 1
	echo "$(column reason.csv main.locked wait_ns sync.Mutex.Lock),$(column reason.csv main.query wait_ns sleep),$(column report.csv main.busy run_ns),$(fact end.lost_events)"
}
ask_sample() {
	"$GOTRACE" sample -F 999 -o trace -- "$where" >truth && "$GOTRACE" report trace -F csv -n 0 >report.csv || return 1
	echo ",,$(awk -F, -v cpu="$(fact end.sampled_cpu_ns)" '$1 == "main.busy" { printf "%.6f", $3 / 100 * cpu / 1e9 }' report.csv),$(fact end.samples_lost)"
}
ask_wall() { # samples with waiting; running is told by its snapshots' weights as well
	"$GOTRACE" sample --wall -o trace -- "$where" >truth && "$GOTRACE" report trace -F csv -n 0 >report.csv &&
		"$GOTRACE" report trace --by=reason -F csv >reason.csv || return 1
	echo "$(column reason.csv main.locked total_wait_ns sync.Mutex.Lock),$(column reason.csv main.query total_wait_ns sleep),$(column report.csv main.busy total_run_ns),$(fact end.samples_lost)"
}
fact() { "$GOTRACE" info trace | awk -v k="$1" '$1 == k { print $2 }'; } # KEY
ask_go() { # PROFILE
	local from=profile lock='main\.locked'
	"$where" "$1" profile >truth || return 1
	if [ "$1" = trace ]; then
		go tool trace -pprof=sync profile >sync 2>/dev/null || return 1
		from=sync
	fi
	[ "$1" != fgprof ] || lock='Mutex.*lockSlow'
	echo "$(cum main.locked "$lock" $from),$(cum main.query 'main\.query' $from),$(cum main.busy 'main\.busy' $from),"
}
# The values of a row.
measure() { # PROGRAM TOOL
	local told
	cd "$scratch" || return 1
	rm -f truth trace profile sync
	case $2 in
	untraced | record | sample | wall) told=$("ask_$2" 2>said) || { cat said >&2; return 1; } ;;
	*) told=$(ask_go "$2") || return 1 ;;
	esac
	awk -v told="$told" '{ v[$1] = $2 } END {
		if (v["lock"] == "" || v["query"] == "" || v["busy"] == "") exit 1
		printf "%s,%s,%s,%s,%s,%s\n", v["lock"], v["query"], v["busy"], v["wall"], v["cpu"], told }' truth
}

begin_run
out=$(realpath "$out") # the rows are written from elsewhere
fix go_of_programs "$(go env GOVERSION)"
fix fgprof v0.9.5
fix requests "$requests"
build_stats "$scratch"
measure_rounds untraced "untraced $tools" "$programs" program \
	lock_s,query_s,busy_s,wall_s,cpu_s,told_lock_s,told_query_s,told_busy_s,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
