#!/bin/bash
# How long it takes to attach and detach 10 to 50,000 probes: with one link for all of them, and with a link a site, as the
# thesis did.
#
#   sudo experiments/attach-scale/run.sh
#
# RUNS=5           rounds that count; one more goes before them and is discarded
# QUICK=1          one round, on any machine, no more than 1,000 probes, 100 with a link each
# PROBES=          about how many, of: 10 100 1000 10000 50000
# VARIANTS=        of: thesis thesis-links emulated inline; thesis is always measured
# LINKS_MOST=1000  of these with a link each: a thousand take a minute or so
# GO=1.22.0        the Go version to build the program with
# RESUME=FOLDER    goes on with a run that was interrupted
#
# Each run writes results/attach-scale/<run-id>/: raw.csv (never edited), environment.txt, summary.csv, summary.md.
set -eu
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare attach-scale 5
cases=${PROBES:-${QUICK:+10 100 1000}}
cases=$(chosen "case of probes" '10 100 1000 10000 50000' "${cases:-10 100 1000 10000 50000}")
links_most=${LINKS_MOST:-${QUICK:+100}}
links_most=${links_most:-1000}
variants=$(chosen variant 'thesis thesis-links emulated inline' "${VARIANTS:-thesis thesis-links emulated inline}")
[[ " $variants " == *" thesis "* ]] || variants="thesis $variants" # the others are compared with it
# shellcheck source-path=SCRIPTDIR source=released.sh
. "$here/released.sh"
# Half as many functions as probes: each has an entry and one RET.
awk 'BEGIN {
	n = split("10 100 1000 10000 50000", count, " ")
	print "package main\n\nvar sum int\n"
	for (c = 1; c <= n; c++)
		for (i = 0; i < count[c] / 2; i++) {
			name = "of" count[c] "x" i
			print "//go:noinline\nfunc " name "(a int) int { return a*" i " + sum }\n"
			names = names name ",\n"
		}
	print "var functions = []func(int) int{\n" names "}\n"
	print "func main() {\n\tfor _, f := range functions {\n\t\tsum += f(1)\n\t}\n\tprintln(sum)\n}"
}' >"$scratch/main.go"
(cd "$scratch" && go build -buildvcs=false -trimpath -o many main.go) || cannot "the program cannot be built"

# The values of a row; none where so many links are not asked for.
measure() { # PROBES VARIANT
	local how from to released
	case $2 in
	thesis-links) how=(--probe=thesis --attach=perf) ;;
	*) how=(--probe="$2") ;;
	esac
	if [ "$2" = thesis-links ] && [ "$1" -gt "$links_most" ]; then
		echo ",,,,,"
		return
	fi
	rm -f "$scratch/trace"
	from=$(date +%s%N)
	"$GOTRACE" record -o "$scratch/trace" "${how[@]}" -f "main.of$1x*" -- "$scratch/many" >/dev/null 2>"$scratch/log" ||
		{ tail -n 5 "$scratch/log" >&2; return 1; }
	to=$(date +%s%N)
	links_released || return 1
	released=$(date +%s%N)
	"$GOTRACE" info "$scratch/trace" | awk -v ns="$((to - from))" -v release="$((released - to))" '
		{ value[$1] = $2 }
		END {
			if (value["end.detach_ns"] == "") exit 1
			printf "%d,%d,%.9f,%.9f,%.6f,%.6f\n", value["sites"], value["events"], value["attach.time_ns"] / 1e9,
				value["end.detach_ns"] / 1e9, ns / 1e9, release / 1e9
		}'
}

begin_run
build_stats "$scratch"
fix go_of_programs "$(go env GOVERSION)"
fix links_most "$links_most"
measure_rounds thesis "$variants" "$cases" probes sites,events,attach_s,detach_s,end_to_end_s,released_s
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
