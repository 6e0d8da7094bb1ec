#!/bin/bash
# Memory of gotrace and size of its file while a server is traced for a long time, in the modes that are to
# need the same all the time.
#
#   sudo experiments/constant-memory/run.sh [MODE...]     summary, recorder; all of them at once without one
#
# LENGTH=3600   seconds
# EVERY=10      seconds between two rows
# GOTRACE=      the command, build/gotrace
# RESULTS=      where to put the results, results/constant-memory
#
# Writes a folder: rows.csv, counts.csv (the program's own counts beside those of the trace), environment.txt and,
# derived from them, summary.md.
set -euo pipefail
unset SUDO_UID SUDO_GID
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
LENGTH=${LENGTH:-3600} EVERY=${EVERY:-10}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/constant-memory}
[ $# -gt 0 ] || set -- summary recorder
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
[ "$(id -u)" = 0 ] || { echo "constant-memory: tracing needs root" >&2; exit 1; }
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure constant-memory
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-constant.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
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
for pid in "${running[@]}"; do wait "$pid"; done
end_run
{
	echo "# An hour"
	echo
	echo "Memory of gotrace (resident; its own, and all, rings included) and size of the file, after a tenth of the time and at the end."
	echo
	echo "| mode | seconds | own then, KiB | own at the end | most | all then, KiB | all at the end | file then, bytes | at the end | most |"
	echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	awk -F, -v length_s="$LENGTH" 'NR > 1 && $3 {
		if (!($1 in last)) order[++n] = $1
		if (!($1 in early) && $2 >= length_s / 10) { early[$1] = $4; early_all[$1] = $3; early_file[$1] = $5 }
		last[$1] = $2; own[$1] = $4; all[$1] = $3; file[$1] = $5
		if ($4 > most[$1]) most[$1] = $4
		if ($5 > most_file[$1]) most_file[$1] = $5
	} END { for (i = 1; i <= n; i++) { m = order[i]
		printf "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", m, last[m], early[m], own[m], most[m], early_all[m], all[m], early_file[m], file[m], most_file[m] } }' "$out/rows.csv"
	echo
	echo "Calls by the program's own count and in the trace; a recorder has those of its last 20 seconds only."
	echo
	echo "| mode | function | program | trace |"
	echo "|---|---|--:|--:|"
	awk -F, 'NR > 1 { printf "| %s | `%s` | %d | %s |\n", $1, $2, $3, $4 }' "$out/counts.csv"
} >"$out/summary.md"
cat "$out/summary.md"
