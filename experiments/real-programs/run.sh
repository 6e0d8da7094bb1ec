#!/bin/bash
# Real programs that nobody tuned for, untraced and traced with the default selection: wall time,
# losses, traps, whether the output stays the same, and how far the shares of self time are from
# those of Go's own CPU profile of the untraced run.
#
#   sudo experiments/real-programs/run.sh [PROGRAM...]    programs.sh has all of them
#
# ROUNDS=3      rounds that count; one more goes before them and is discarded
# PROFILES=10   untraced runs that are profiled
# VARIANTS=     ways of probing, "inline springboard", also "inline+states", the default of record: with states of goroutines; thesis is measured as well where springboard is
# WORK=DIR      keeps the built programs and their input there, for the next run
# GOTRACE=      the command to measure, build/gotrace
# RESULTS=      where to put the results, results/real-programs
#
# Every run writes a folder of its own: rows.csv, shares.csv, sites.csv (rows, never edited),
# environment.txt, info/ (what each trace says of itself) and summary.md, derived from them.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
ROUNDS=${ROUNDS:-3} PROFILES=${PROFILES:-10}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/real-programs}
[ $# -gt 0 ] || set -- misspell http http_net gofumpt esbuild hugo nats caddy
programs=("$@")
read -r -a ways <<<"${VARIANTS:-inline springboard}"
variants=(untraced "${ways[@]}")

die() { echo "real-programs: $*" >&2; exit 1; }
say() { echo "real-programs: $*" >&2; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo make experiment-real-programs"
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure real-programs
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || die "no Go toolchain; run: ci/deps.sh go"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-real.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
chmod 755 "$scratch"
work=${WORK:-$scratch/work}
mkdir -p "$work/bin" "$scratch/profiles"
work=$(cd "$work" && pwd)
# shellcheck source=programs.sh
. "$here/programs.sh"
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp"
"${CC:-cc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" -I"$top" "$here/sites.c" \
	"${O:-$top/build}/libgotrace.a" -lzstd -lz -lm -pthread -o "$scratch/sites"

info() { # KEY
	"$GOTRACE" info "$scratch/trace" | awk -v k="$1" '$1 == k { v = $2 } END { print v + 0 }'
}

# What the program said and wrote, in one word.
digest() {
	(cd "$scratch" && sha256sum stdout && find out -type f -print0 | sort -z | xargs -0r sha256sum) |
		sha256sum | cut -c 1-16
}

# Sets target, modules and selection.
set_program() { # PROGRAM
	rm -rf "$scratch/out"
	mkdir "$scratch/out"
	selection=()
	"command_$1" "$scratch/out"
}

run_once() { # PROGRAM VARIANT ROUND
	local command=() states=() wall target_wall status=0 discarded=0 same=yes user sys cpu d
	[ "$3" != 0 ] || discarded=1
	set_program "$1"
	command=("${target[@]}")
	rm -f "$scratch/trace"
	if [ "${2%+states}" = "$2" ]; then states=(--no-states); else states=(--states); fi
	[ "$2" = untraced ] || command=("$GOTRACE" record -o "$scratch/trace" --probe="${2%+states}" "${states[@]}" "${selection[@]}" -- "${target[@]}")
	TIMEFORMAT='%R %U %S'
	{ time serve "$1" "${command[@]}" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?; } 2>"$scratch/time"
	read -r wall user sys <"$scratch/time"
	d=$(digest)
	# Of a server, what its load took, and processor time without that of the load.
	cpu=
	[ ! -s "$scratch/load" ] || read -r _ wall cpu <"$scratch/load"
	if [ "$2" = untraced ]; then
		[ "${expected[$1]:-$d $status}" = "$d $status" ] || say "$1: two untraced runs differ"
		expected[$1]="$d $status"
		awk -v c="${cpu:-$user $sys}" -v w="$wall" -v p="$1,$2,$3,$discarded,$status" \
			'BEGIN { split(c, t, " "); printf "%s,yes,%.3f,%.3f,%.3f,0,0,0,0,0,0,0,0,0\n", p, w, w, t[1] + t[2] }' >>"$out/rows.csv"
		return
	fi
	[ "${expected[$1]}" = "$d $status" ] || { same=no; say "$1, $2: output or exit status differs: $d $status, not ${expected[$1]}"; }
	target_wall=$(info end.target_wall_ns)
	[ -z "$cpu" ] || target_wall=$(awk "BEGIN { print $wall * 1e9 }")
	awk -v w="$target_wall" -v c="$(info end.target_cpu_ns)" -v p="$1,$2,$3,$discarded,$status,$same,$wall" \
		-v r="$(info end.events),$(info end.events_inline),$(info end.events_emulated),$(info end.events_jump),$(info end.events_step),$(info end.lost_events),$(info end.lost_records),$(info end.ring_most_bytes),$(stat -c %s "$scratch/trace")" \
		'BEGIN { printf "%s,%.3f,%.3f,%s\n", p, w / 1e9, c / 1e9, r }' >>"$out/rows.csv"
	"$GOTRACE" info "$scratch/trace" | sed "s|$work|WORK|g; s|$scratch|SCRATCH|g" >"$out/info/$1.$2.txt"
	[ "$2 $3" != "inline $ROUNDS" ] || sites "$1"
}

# The sites of a program that still trap, with their hits, joined with why they do.
sites() { # PROGRAM
	"$scratch/sites" "$scratch/trace" >"$scratch/hits"
	"$GOTRACE" plan --probe=inline --explain "${selection[@]}" "${target[0]}" >"$scratch/plan"
	# those of the runtime, which --explain does not list, in the same form
	echo runtime >>"$scratch/plan"
	"$GOTRACE" plan --probe=inline -F json "${selection[@]}" "${target[0]}" | awk -F'"' '
		$2 == "runtime_sites" { here = 1 }
		$2 == "inlined" { here = 0 }
		here && $2 == "kind" { kind = $4 }
		here && $2 == "trap" { trap = $4 }
		here && $2 == "function" && !seen[kind]++ {
			printf "  %s %s traps* %s\n", kind, trap == "stepped" ? "two" : "one", "in " $4
		}' >>"$scratch/plan"
	awk -v program="$1" -v emulated="$(info cost.emulated_ns)" -v step="$(info cost.step_ns)" \
		-f "$here/sites.awk" "$scratch/hits" "$scratch/plan" >>"$out/sites.csv"
}

profile() { # PROGRAM; sets nothing, leaves $scratch/NAME.raw
	local n=$PROFILES i
	[[ " esbuild nats caddy " != *" $1 "* ]] || n=1 # esbuild repeats its work for 30 s when profiled
	for i in $(seq "$n"); do
		rm -rf "$scratch/out"
		mkdir "$scratch/out"
		"profile_$1" "$scratch/profiles/$1.$i" "$scratch/out" >/dev/null 2>&1 || true
	done
	go tool pprof -raw "$scratch/profiles/$1".* >"$scratch/$1.raw" 2>/dev/null
}

# Shares of self time by gotrace, waiting left out, beside those by the profile.
shares() { # PROGRAM VARIANT
	set_program "$1"
	serve "$1" "$GOTRACE" record -o "$scratch/trace" --probe="${2%+states}" "${modules[@]}" "${waits[@]}" -- "${target[@]}" \
		>/dev/null 2>"$scratch/stderr" || true
	"$GOTRACE" report -F csv -n 0 "$scratch/trace" >"$scratch/report.csv"
	"$GOTRACE" plan -F json --probe="${2%+states}" "${modules[@]}" "${target[0]}" |
		awk -F'"' '$2 == "name" { n = $4 } $2 == "fate" && $4 == "probed" { print n }' >"$scratch/probed"
	awk -v program="$1" -v variant="$2" -f "$here/shares.awk" "$scratch/probed" "$scratch/report.csv" "$scratch/$1.raw" |
		sort -t, -k4,4gr >>"$out/shares.csv"
}

declare -A expected=()
for program in "${programs[@]}"; do
	declare -F "prepare_$program" >/dev/null || die "no program is called '$program'"
	say "building $program"
	"prepare_$program"
done
begin_run
mkdir "$out/info"
note programs "${programs[*]}"
note versions "esbuild $ESBUILD, gofumpt $GOFUMPT, misspell $MISSPELL, hugo $HUGO, nats $NATS, caddy $CADDY, three $THREE, react and react-dom $REACT"
note rounds "$ROUNDS after one discarded, variants interleaved; $PROFILES profiled runs"
echo program,variant,round,discarded,status,same_output,wall_s,target_wall_s,target_cpu_s,events,inline,emulated,jump,step,lost,lost_records,ring_most_bytes,trace_bytes >"$out/rows.csv"
echo program,variant,function,profile_pct,gotrace_pct,calls,samples >"$out/shares.csv"
echo program,function,offset,hits,traps,cost_ms,why >"$out/sites.csv"
for round in $(seq 0 "$ROUNDS"); do
	for program in "${programs[@]}"; do
		say "round $round of $ROUNDS: $program"
		for variant in "${variants[@]}"; do
			run_once "$program" "$variant" "$round"
		done
	done
done
if [[ " ${programs[*]} " == *" http "* && " ${ways[*]} " == *" springboard "* ]]; then # the smallest
	for round in $(seq 0 "$ROUNDS"); do
		run_once http thesis "$round"
	done
fi
for program in "${programs[@]}"; do
	say "shares: $program"
	profile "$program"
	for variant in "${ways[@]}"; do
		shares "$program" "$variant"
	done
done
end_run
"$here/summary.sh" "$out"
cat "$out/summary.md"
echo "rows: $out"
