#!/bin/bash
# Memory of gotrace and size of its file while a server is traced for a long time, in the modes that are to
# need the same all the time.
#
#   sudo experiments/constant-memory/run.sh [MODE...]     summary, recorder; all of them at once without one
#
# LENGTH=3600   seconds
# EVERY=10      seconds between two rows
# QUICK=1       40 seconds, a row every two
# GOTRACE=      the command, build/gotrace
# RESULTS=      where to put the results, results/constant-memory
#
# Writes a folder: rows.csv, counts.csv (the program's own counts beside those of the trace), environment.txt and,
# derived from them, summary.md. It is one long run and has no rounds: what is asked is whether anything grows.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
LENGTH=${LENGTH:-${QUICK:+40}} EVERY=${EVERY:-${QUICK:+2}}
LENGTH=${LENGTH:-3600} EVERY=${EVERY:-10}
[ $# -gt 0 ] || set -- summary recorder
prepare constant-memory
cp "$GOTRACE" "$scratch/gotrace" # it may be built anew meanwhile
begin_run
note length "$LENGTH s"
options() {
	case $1 in
	summary) echo --summary ;;
	recorder) echo --keep-last 20s ;;
	*) echo "constant-memory: no mode is called '$1'" >&2; exit 2 ;;
	esac
}
echo mode,seconds,rss_kib,anon_kib,file_bytes >"$out/rows.csv"
echo mode,function,program,trace >"$out/counts.csv"

# Resident KiB: all, and what is its own; the rest is mostly rings, which fill page by page.
memory() { # PID
	awk '/^VmRSS/ { all = $2 } /^RssAnon/ { own = $2 } END { print all + 0 "," own + 0 }' "/proc/$1/status" 2>/dev/null || echo 0,0
}

run() { # MODE
	local mode=$1 start=$SECONDS tracer
	local folder=$scratch/$mode
	mkdir -p "$folder"
	# A copy of its own: probes are on the file.
	(cd "$here/server" && go build -o "$folder/server" main.go)
	# shellcheck disable=SC2046 # options are words
	"$scratch/gotrace" record $(options "$mode") -o "$folder/trace" -- "$folder/server" "$LENGTH" >"$folder/printed" &
	tracer=$!
	while sleep "$EVERY" && [ -r "/proc/$tracer/statm" ] && kill -0 "$tracer" 2>/dev/null; do
		echo "$mode,$((SECONDS - start)),$(memory "$tracer"),$(stat -c %s "$folder/trace" 2>/dev/null || echo 0)" >>"$out/rows.csv"
	done
	wait "$tracer"
	"$GOTRACE" report -F csv -n 0 "$folder/trace" >"$folder/csv"
	while read -r name count; do
		echo "$mode,$name,$count,$(awk -F, -v f="$name" '$1 == f { print $2 }' "$folder/csv")" >>"$out/counts.csv"
	done <"$folder/printed"
	"$GOTRACE" info "$folder/trace" | sed "s|$scratch|SCRATCH|g" >"$out/info.$mode.txt"
}

running=()
for mode in "$@"; do
	run "$mode" &
	running+=($!)
done
for pid in "${running[@]}"; do wait "$pid" || { echo "constant-memory: a mode failed" >&2; exit 1; }; done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out/rows.csv"
