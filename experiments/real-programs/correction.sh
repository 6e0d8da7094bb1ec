#!/bin/bash
# Corrected times of real programs against Go's own CPU profile of the untraced run, before and
# after the correction; and the sentence on overhead against untraced runs.
#
#   sudo experiments/real-programs/correction.sh [PROGRAM...]    programs.sh has all of them
#
# PROFILES=10   untraced runs that are profiled, and timed; half as many of five seconds of a server, one of esbuild
# TRACES=5      traced runs; a function's share is its median over them
# VARIANTS=     ways of probing, "inline+states inline springboard"; emulated takes minutes on most
#               programs. +states: with --states, time counts in which goroutines ran or were in
#               system calls; else functions that wait are traced, too, so that waiting is theirs
# WORK=DIR, GOTRACE=, RESULTS=   as in run.sh
set -euo pipefail
unset SUDO_UID SUDO_GID
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
PROFILES=${PROFILES:-10} TRACES=${TRACES:-5} VARIANTS=${VARIANTS:-inline+states inline springboard}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/real-programs}
[ $# -gt 0 ] || set -- misspell gofumpt esbuild hugo nats caddy
die() { echo "correction: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || die "tracing needs root"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure real-programs
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-correction.XXXXXX")
# What programs write goes into memory: how long ext4 takes to make a file depends on how many were
# deleted in the five seconds before (recently_deleted), so on how fast runs follow each other.
mkdir -p "$scratch/memory"
mount -t tmpfs none "$scratch/memory" || die "no tmpfs for what the programs write"
trap 'umount "$scratch/memory"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch" "$scratch/memory"
work=${WORK:-$scratch/work}
mkdir -p "$work/bin" "$scratch/profiles"
work=$(cd "$work" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp"
begin_run correction
echo program,variant,function,profile_pct,measured_pct,corrected_pct,unsure,calls,samples >"$out/correction.csv"
echo program,variant,wall_s,cpu_s,untraced_wall_s,untraced_cpu_s,told >"$out/overhead.csv"

fresh() { # PROGRAM; sets target and modules
	rm -rf "$scratch/memory/out"
	mkdir "$scratch/memory/out"
	"command_$1" "$scratch/memory/out"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

untraced() { # PROGRAM
	local user sys wall cpu
	fresh "$1"
	TIMEFORMAT='%R %U %S'
	{ time serve "$1" "${target[@]}" >/dev/null 2>&1 || true; } 2>"$scratch/time"
	read -r wall user sys <"$scratch/time"
	cpu="$user + $sys"
	[ ! -s "$scratch/load" ] || read -r _ wall cpu <"$scratch/load" # a server's
	echo "$wall" >>"$scratch/$1.wall"
	awk "BEGIN { print $cpu }" >>"$scratch/$1.cpu"
}

profile() { # PROGRAM
	local n=$PROFILES i
	case $1 in
	esbuild) n=1 ;; # it repeats its work for 30 s when profiled
	nats | caddy) n=$(((n + 1) / 2)) ;; # five seconds each
	esac
	for i in $(seq "$n"); do
		rm -rf "$scratch/memory/out"
		mkdir "$scratch/memory/out"
		"profile_$1" "$scratch/profiles/$1.$i" "$scratch/memory/out" >/dev/null 2>&1 || true
	done
	go tool pprof -raw "$scratch/profiles/$1".* >"$scratch/$1.raw" 2>/dev/null
}

info() { "$GOTRACE" info "$scratch/trace" | awk -v k="$1" '$1 == k { v = $2 } END { print v / 1e9 }'; }

compare() { # PROGRAM VARIANT
	local wall cpu states=0 probe=${2%+states} options=(--no-states "${waits[@]}")
	[ "$probe" = "$2" ] || { states=1 options=(--states); }
	: >"$scratch/shares"
	: >"$scratch/told"
	for _ in $(seq "$TRACES"); do
		untraced "$1" # in turn: what else the machine does changes meanwhile
		fresh "$1"
		serve "$1" "$GOTRACE" record -o "$scratch/trace" --probe="$probe" "${modules[@]}" "${options[@]}" -- "${target[@]}" >/dev/null 2>&1 || true
		"$GOTRACE" report -F csv -n 0 "$scratch/trace" >"$scratch/report.csv"
		"$GOTRACE" plan -F json --probe="$probe" "${modules[@]}" "${target[0]}" |
			awk -F'"' '$2 == "name" { n = $4 } $2 == "fate" && $4 == "probed" { print n }' >"$scratch/probed"
		awk -v program="$1" -v variant="$2" -v corrected=1 -v states="$states" -f "$here/shares.awk" "$scratch/probed" "$scratch/report.csv" \
			"$scratch/$1.raw" >>"$scratch/shares"
		wall=$(info end.target_wall_ns) cpu=$(info end.target_cpu_ns)
		[ ! -s "$scratch/load" ] || read -r _ wall _ <"$scratch/load"
		echo "$wall,$cpu,$("$GOTRACE" info "$scratch/trace" | sed -n 's/^overhead  *//p')" >>"$scratch/told"
	done
	awk -F, -v OFS=, -f "$here/correction-median.awk" "$scratch/shares" | sort -t, -k6,6gr >>"$out/correction.csv"
	# The run of the median wall time.
	sort -t, -k1,1g "$scratch/told" | awk -F, -v n="$TRACES" -v program="$1" -v variant="$2" \
		-v plain="$(median <"$scratch/$1.wall"),$(median <"$scratch/$1.cpu")" 'NR == int((n + 1) / 2) {
			wall = $1; cpu = $2; sub(/^[^,]*,[^,]*,/, "")
			printf "%s,%s,%s,%s,%s,\"%s\"\n", program, variant, wall, cpu, plain, $0
		}' >>"$out/overhead.csv"
}

for program in "$@"; do
	[ -x "$work/bin/$program" ] || "prepare_$program"
	untraced "$program"
	untraced "$program"
	profile "$program"
	for variant in $VARIANTS; do
		echo "correction: $program, $variant" >&2
		compare "$program" "$variant"
	done
done
end_run
{
	echo "| program | probes | mean points off, top ten, measured | corrected | most of top five, measured | corrected | rank correlation, measured | corrected | unsure of ten |"
	echo "|---|---|--:|--:|--:|--:|--:|--:|--:|"
	awk -F, -f "$here/correction-summary.awk" "$out/correction.csv"
	echo
	echo "| program | probes | processor time over untraced | wall over untraced | told |"
	echo "|---|---|--:|--:|---|"
	awk -F, 'NR > 1 { told = $0; sub(/^[^"]*"/, "", told); sub(/"$/, "", told); printf "| %s | %s | %.1f | %.1f | %s |\n", $1, $2, $4 / $6, $3 / $5, told }' "$out/overhead.csv"
} >"$out/summary.md"
cat "$out/summary.md"
echo "rows: $out"
