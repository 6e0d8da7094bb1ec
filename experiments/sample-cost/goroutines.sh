#!/bin/bash
# What gotrace sample --wall takes itself, and from a program, by how many goroutines wait.
#
#   sudo experiments/sample-cost/goroutines.sh      ROUNDS=9, GOROUTINES="1000 10000 100000", QUICK=1, GOTRACE=build/gotrace
#
# Each run writes results/sample-cost/<run-id>-goroutines/: rows.csv (never edited), environment.txt, summary.md. In a round each number of
# goroutines is measured once, with gotrace and without, for 10 s of the same process.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 1 || echo 9)}
read -r -a numbers <<<"${GOROUTINES:-1000 10000 100000}"
seconds=10 start=3
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "sample-cost: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "sampling needs root"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure sample-cost
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-goroutines.XXXXXX")
targets=()
trap 'kill "${targets[@]}" 2>/dev/null || true; rm -rf "$scratch"' EXIT
cp "$here/goroutines.go.in" "$scratch/goroutines.go"
(cd "$scratch" && go build -o goroutines goroutines.go)
[ -z "$quick" ] || RESULTS=$scratch/results
begin_run goroutines
note rounds "$rounds"
note goroutines "${numbers[*]}"
note seconds "$seconds, from $start s after gotrace has begun"
echo "round,goroutines,variant,wall_ns,target_cpu_ns,tool_cpu_ns,tool_start_cpu_ns,snapshots,drawn,listed" >"$out/rows.csv"

used() { cat /proc/"$1"/task/*/schedstat | awk '{ ns += $1 } END { printf "%.0f", ns }'; } # PID: of its threads, in ns
begin() { # NUMBER: its standard input and output become descriptors 3 and 4
	mkfifo "$scratch/in" "$scratch/out"
	"$scratch/goroutines" "$1" <"$scratch/in" >"$scratch/out" &
	target=$!
	targets+=("$target")
	exec 3>"$scratch/in" 4<"$scratch/out"
	rm "$scratch/in" "$scratch/out"
}
cpu() { # sets answer: of the target, in ns
	echo >&3
	read -r answer <&4
}
info() { awk -v k="$1" '$1 == k { print $2; found = 1; exit } END { exit !found }' "$scratch/info" || die "the trace has no $1"; }
measure() { # ROUND NUMBER VARIANT
	local before from tool=0 begun=0 snapshots=0 drawn=0 listed=0 wall gotrace=
	if [ "$3" = wall ]; then
		"$GOTRACE" sample --wall -d $((start + seconds + 1)) -o "$scratch/trace" --pid "$target" >/dev/null 2>"$scratch/said" &
		gotrace=$!
		sleep "$start"
		begun=$(used $gotrace)
	fi
	cpu
	before=$answer from=$(date +%s%N)
	sleep "$seconds"
	[ -z "$gotrace" ] || tool=$(($(used $gotrace) - begun))
	wall=$(($(date +%s%N) - from))
	cpu
	if [ -n "$gotrace" ]; then
		wait $gotrace || die "$(cat "$scratch/said")"
		"$GOTRACE" info "$scratch/trace" >"$scratch/info"
		snapshots=$(info end.snapshots) drawn=$(info end.snapshots_drawn) listed=$(info end.snapshots_listed)
	fi
	echo "$1,$2,$3,$wall,$((answer - before)),$tool,$begun,$snapshots,$drawn,$listed" >>"$out/rows.csv"
}
for round in $(seq "$rounds"); do
	echo "sample-cost: round $round of $rounds" >&2
	while read -r number <&5; do
		begin "$number"
		cpu # it has made them all
		sleep 2
		while read -r variant <&6; do
			measure "$round" "$number" "$variant"
		done 6< <(printf '%s\n' untraced wall | shuf)
		exec 3>&- 4<&-
		wait "$target"
	done 5< <(printf '%s\n' "${numbers[@]}" | shuf)
done
end_run
"$here/goroutines-summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
