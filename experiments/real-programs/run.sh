#!/bin/bash
# Real programs, untraced and traced with the default selection: wall and processor time, losses, traps, whether the output
# stays the same, what gotrace reports of its overhead, and how far the shares of self time are from those of Go's own CPU
# profile of the untraced program.
#
#   sudo experiments/real-programs/run.sh [PROGRAM...]    programs.sh has all of them
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of misspell and http with fewer requests, on any machine
# WORKLOADS=    instead of PROGRAM...
# VARIANTS=     besides untraced, of: inline (the default of record, states of goroutines included), inline-no-states, springboard,
#               emulated, thesis; springboard+states, emulated+states and thesis+states record states and so have shares, too
# SLOW=         the programs that emulated and thesis are run of, "misspell gofumpt http": a round of these takes four minutes,
#               of all sixteen
# PROFILES=10   untraced runs that are profiled; half as many of five seconds of a server, one of esbuild
# GO=           the Go version to build the programs with, the system's; gofumpt asks for 1.26
# RESUME=FOLDER goes on with a run that was interrupted
# WORK=DIR      keeps the built programs and their input there, for the next run
# SEED= GOTRACE= RESULTS=   as everywhere
#
# Every run writes a folder of its own: raw.csv, shares.csv, sites.csv and profile/ (rows, never edited), environment.txt, info/
# (what each trace says of itself); summary.csv and summary.md are derived.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare real-programs 5
# shellcheck source=held_out.sh
. "$here/held_out.sh"
usual="misspell http http_net gofumpt esbuild hugo nats caddy $LOOKED_AT $HELD_OUT"
programs=$(chosen program "$usual" "${*:-${WORKLOADS:-$([ -n "${QUICK:-}" ] && echo misspell http || echo "$usual")}}")
SLOW=$(chosen program "$usual" "${SLOW-misspell gofumpt http}")
usual='inline inline-no-states springboard emulated thesis'
variants=$(chosen variant "$usual springboard+states emulated+states thesis+states" "${VARIANTS:-$usual}")
PROFILES=${PROFILES:-${QUICK:+1}}
PROFILES=${PROFILES:-10}
[ -z "${QUICK:-}" ] || requests=4000
# What programs write goes into memory: how long ext4 takes to make a file depends on how many were deleted in the five
# seconds before (recently_deleted), so on how fast runs follow each other.
mkdir -p "$scratch/memory" "$scratch/profiles"
mount -t tmpfs none "$scratch/memory" || cannot "no tmpfs for what the programs write"
trap 'umount "$scratch/memory"; rm -rf "$scratch"' EXIT
chmod 755 "$scratch/memory"
keep_builds
# shellcheck source=programs.sh
. "$here/programs.sh"
"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" -I"$top" "$here/sites.c" \
	"$(realpath -m "${O:-$top/build}")/libgotrace.a" -lzstd -lz -lm -pthread -o "$scratch/sites"

# Of programs that make millions of calls, one run behind traps takes minutes.
variants_of() { # PROGRAM
	local v
	echo untraced untraced-again
	for v in $variants; do
		case $v in
		emulated* | thesis*) [[ " $SLOW " != *" $1 "* ]] || echo "$v" ;;
		*) echo "$v" ;;
		esac
	done
}
info() { awk -v k="$1" '$1 == k { v = $2 } END { print v == "" ? 0 : v }' "$scratch/info"; } # KEY: what the trace says
seconds() { awk -v ns="$(info "$1")" 'BEGIN { printf "%.9f", ns / 1e9 }'; }                  # KEY

# What the program said and wrote, and how many answers of a server were right, in one word.
digest() { # PROGRAM
	if declare -F "stable_$1" >/dev/null; then
		"stable_$1" <"$scratch/stdout" >"$scratch/stable" && mv "$scratch/stable" "$scratch/stdout"
	fi
	(cd "$scratch" && sha256sum stdout && cut -d' ' -f1 load 2>/dev/null
		cd memory/out && find . -type f -print0 | sort -z | xargs -0r sha256sum) | sha256sum | cut -c 1-16
}
# Sets target, modules and selection.
set_program() { # PROGRAM
	rm -rf "$scratch/memory/out"
	mkdir "$scratch/memory/out"
	selection=()
	"command_$1" "$scratch/memory/out"
}
# Sets how: what record is asked for.
set_how() { # VARIANT
	case $1 in
	inline) how=() ;; # as users get it
	inline-no-states) how=(--no-states) ;;
	*+states) how=(--probe="${1%+states}" --states) ;;
	*) how=(--probe="$1" --no-states) ;;
	esac
}

# The values of a row.
measure() { # PROGRAM VARIANT ROUND
	local command=() how=() wall status=0 user sys cpu='' served=''
	set_program "$1"
	set_how "$2"
	command=("${target[@]}")
	rm -f "$scratch/trace" "$scratch/info"
	[ "$2" = untraced ] || command=("$GOTRACE" record -o "$scratch/trace" "${how[@]}" "${selection[@]}" -- "${target[@]}")
	TIMEFORMAT='%R %U %S'
	{ time serve "$1" "${command[@]}" >"$scratch/stdout" 2>"$scratch/stderr" || status=$?; } 2>"$scratch/time"
	read -r wall user sys <"$scratch/time"
	# Of a server, what its load took, and processor time without that of the load.
	[ ! -s "$scratch/load" ] || read -r _ served cpu <"$scratch/load"
	if [ "$2" = untraced ]; then
		[ -n "$cpu" ] || cpu=$(awk "BEGIN { print $user + $sys }")
		echo "$status,$(digest "$1"),${served:-$wall},${served:-$wall},$cpu,0,0,0,0,0,0,0,0,0,"
		return
	fi
	if [ ! -s "$scratch/trace" ]; then
		tail -n 5 "$scratch/stderr" >&2
		return 1
	fi
	"$GOTRACE" info "$scratch/trace" >"$scratch/info" || return 1
	echo "$status,$(digest "$1"),$wall,${served:-$(seconds end.target_wall_ns)},$(seconds end.target_cpu_ns),$(
		for key in events events_inline events_emulated events_jump events_step lost_events lost_records ring_most_bytes; do
			printf '%s,' "$(info "end.$key")"
		done)$(stat -c %s "$scratch/trace"),$(sed -n 's/^overhead  *//p' "$scratch/info" | tr ',"' ';')"
	[ "$3" = 0 ] || [[ $2 != inline && $2 != *+states ]] || shares "$1" "$2" "$3" || return 1
	[ "$3" != "$rounds" ] || finish "$1" "$2"
}

# Shares of self time by gotrace, by each of its two estimates too, beside those by the profile.
shares() { # PROGRAM VARIANT ROUND
	local by
	for by in better samples events; do
		"$GOTRACE" report -F csv -n 0 --correct-by=$by "$scratch/trace" >"$scratch/$by.csv" 2>"$scratch/said" ||
			{ cat "$scratch/said" >&2; return 1; }
	done
	"$GOTRACE" plan -F json --probe="${2%+states}" "${selection[@]}" "${target[0]}" 2>"$scratch/said" |
		awk -F'"' '$2 == "name" { n = $4 } $2 == "fate" && $4 == "probed" { print n }' >"$scratch/probed"
	awk -v program="$1" -v round="$3" -v variant="$2" -f "$here/shares.awk" "$scratch/probed" "$scratch"/{better,samples,events}.csv \
		"$out/profile/$1.folded" | sort -t, -k4 | replace_rows "$out/shares.csv" "$1,$3,$2,"
}
# Of the last round: what the trace says, and the sites that still trap with inline stubs.
finish() { # PROGRAM VARIANT
	sed "s|$work|WORK|g; s|$scratch|SCRATCH|g" "$scratch/info" >"$out/info/$1.$2.txt"
	[ "$2" = inline ] || return 0
	"$scratch/sites" "$scratch/trace" >"$scratch/hits"
	"$GOTRACE" plan --probe=inline --explain "${selection[@]}" "${target[0]}" >"$scratch/plan" 2>/dev/null
	# those of the runtime, which --explain does not list, in the same form
	echo runtime >>"$scratch/plan"
	"$GOTRACE" plan --probe=inline -F json "${selection[@]}" "${target[0]}" 2>/dev/null | awk -F'"' '
		$2 == "runtime_sites" { here = 1 }
		$2 == "inlined" { here = 0 }
		here && $2 == "kind" { kind = $4 }
		here && $2 == "trap" { trap = $4 }
		here && $2 == "function" && !seen[kind]++ {
			printf "  %s %s traps* %s\n", kind, trap == "stepped" ? "two" : "one", "in " $4
		}' >>"$scratch/plan"
	awk -v program="$1" -v emulated="$(info cost.emulated_ns)" -v step="$(info cost.step_ns)" \
		-f "$here/sites.awk" "$scratch/hits" "$scratch/plan" | replace_rows "$out/sites.csv" "$1,"
}

# Go's own profile of the untraced program, once; that of a run that goes on is kept.
profile() { # PROGRAM
	local n=$PROFILES i
	[ ! -e "$out/profile/$1.folded" ] || return 0
	echo "real-programs: profiles of $1" >&2
	case $1 in
	esbuild) n=1 ;; # it repeats its work for 30 s when profiled
	nats | caddy) n=$(((n + 1) / 2)) ;;
	esac
	for i in $(seq "$n"); do
		rm -rf "$scratch/memory/out"
		mkdir "$scratch/memory/out"
		"profile_$1" "$scratch/profiles/$1.$i" "$scratch/memory/out" >/dev/null 2>"$scratch/said" || true # as the status of the program is
		[ -s "$scratch/profiles/$1.$i" ] || { tail -n 5 "$scratch/said" >&2; cannot "$1 left no profile"; }
	done
	go tool pprof -raw "$scratch/profiles/$1".* 2>/dev/null | awk -f "$here/profile.awk" | sort >"$scratch/folded"
	mv "$scratch/folded" "$out/profile/$1.folded"
}

for program in $programs; do
	echo "real-programs: building $program" >&2
	prepared "$program"
done
begin_run
mkdir -p "$out/info" "$out/profile"
fix go_of_programs "$(go env GOVERSION)"
fix versions "esbuild $ESBUILD, gofumpt $GOFUMPT, misspell $MISSPELL, hugo $HUGO, nats $NATS, caddy $CADDY, three $THREE, react and react-dom $REACT, gojq $GOJQ, yamlfmt $YAMLFMT, tengo $TENGO, gxz $XZ, gocyclo $GOCYCLO, buntdb $BUNTDB, starlark $STARLARK, csvq $CSVQ"
fix profiles "$PROFILES"
fix slow "${SLOW:-none}"
fix requests "$requests"
[ -e "$out/shares.csv" ] || echo program,round,variant,function,profile_pct,measured_pct,corrected_pct,unsure,calls,samples,by_samples_pct,by_events_pct,uncertainty_pct >"$out/shares.csv"
[ -e "$out/sites.csv" ] || echo program,function,offset,hits,traps,cost_ms,why >"$out/sites.csv"
build_stats "$scratch"
for program in $programs; do profile "$program"; done
measure_rounds untraced "untraced $variants" "$programs" program \
	status,output,end_to_end_s,target_s,target_cpu_s,events,inline,emulated,jump,step,lost_events,lost_records,ring_most_bytes,trace_bytes,told
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
