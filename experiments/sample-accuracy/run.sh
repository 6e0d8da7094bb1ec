#!/bin/bash
# Shares that gotrace sample, perf record and Go's own CPU profile say, of programs whose shares are known, and the
# self time of a real program's functions as each of the three sees it.
#
#   sudo experiments/sample-accuracy/run.sh
#
# RUNS=5        rounds that count; one more goes before them and is discarded
# QUICK=1       one round of less work, on any machine
# WORKLOADS=    of: shares leafs instep cgochurn gofumpt
# VARIANTS=     of: gotrace perf go
# GO= WORK= RESUME= SEED= GOTRACE= RESULTS=   as everywhere
#
# Each run writes results/sample-accuracy/<run-id>/: raw.csv and functions.csv (never edited), environment.txt, and derived from
# them summary.csv, summary.md. There is no untraced variant: shares are compared with the truth.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare sample-accuracy 5
usual='shares leafs instep cgochurn gofumpt'
programs=$(chosen program "$usual" "${WORKLOADS:-$usual}")
tools=$(chosen variant 'gotrace perf go' "${VARIANTS:-gotrace perf go}")
command -v perf >/dev/null || cannot "perf is missing; run: ci/deps.sh experiment"
keep_builds
# shellcheck source-path=SCRIPTDIR source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"

# ---- what is sampled: PROGRAM, its rate in Hz and its arguments
rate_of() { if [ "$1" = instep ]; then echo 499; else echo 999; fi; }
arguments_of() {
	case $1 in
	shares) if [ -n "${QUICK:-}" ]; then echo 5; else echo 20; fi ;;
	leafs) if [ -n "${QUICK:-}" ]; then echo 1; else echo 4; fi ;;
	esac
}
profiled() { # PROGRAM: a copy that writes Go's own profile
	local from=$top/fixtures/programs/$1 to=$work/profiled/$1
	mkdir -p "$to"
	cp "$from/main.go" "$to/"
	cp "$here/profile.go.in" "$to/profile_until_end.go"
	sed -i 's/^func main() {/&\n\tdefer profileUntilEnd()()/' "$to/main.go"
	(cd "$to" && { [ -e go.mod ] || go mod init profiled 2>/dev/null; } && go build -o "$work/bin/$1.profiled" .)
}
for p in $programs; do
	if [ "$p" = gofumpt ]; then
		prepared gofumpt
	elif [ ! -e "$work/$p.both" ]; then
		"$top/fixtures/programs/build.sh" "$work/programs" "$p"
		profiled "$p"
		: >"$work/$p.both"
	fi
done

# ---- each writes the stacks of one run, "COUNT OUTERMOST;...;LEAF", to $scratch/stacks, and what the program printed
with_gotrace() { # HZ COMMAND...
	"$GOTRACE" sample -F "$1" -o "$scratch/trace" -- "${@:2}" >"$scratch/printed" 2>"$scratch/said" || { cat "$scratch/said" >&2; return 1; }
	"$GOTRACE" export "$scratch/trace" --format=folded --weight=calls -o "$scratch/folded" 2>/dev/null
	awk '{ n = $NF; $NF = ""; sub(/ $/, ""); gsub(/ /, "_"); print n, $0 }' "$scratch/folded" >"$scratch/stacks"
}
with_perf() { # HZ COMMAND...
	perf record -q -e cpu-clock -F "$1" --call-graph fp -o "$scratch/perf.data" -- "${@:2}" >"$scratch/printed" 2>"$scratch/said" ||
		{ cat "$scratch/said" >&2; return 1; }
	perf script --no-inline -F ip,sym -i "$scratch/perf.data" 2>/dev/null | awk -f "$here/perf-stacks.awk" >"$scratch/stacks"
}
with_go() { # HZ COMMAND... of the copy that profiles itself
	CPUPROFILE=$scratch/profile CPUPROFILE_HZ=$1 "${@:2}" >"$scratch/printed" 2>"$scratch/said" || return 1
	go tool pprof -traces -sample_index=samples "$scratch/profile" 2>/dev/null | awk -f "$here/pprof-stacks.awk" >"$scratch/stacks"
}

# What gotrace lost; the others do not say.
lost() { # TOOL
	[ "$1" != gotrace ] || "$GOTRACE" info "$scratch/trace" | awk '$1 == "end.samples_lost" { print $2 }'
}
known() { # PROGRAM BUILD TOOL
	local hz path=$work/programs/$2/$1
	hz=$(rate_of "$1")
	[ "$3" != go ] || path=$work/bin/$1.profiled
	# shellcheck disable=SC2046 # words, or none
	"with_$3" "$hz" "$path" $(arguments_of "$1") || return 1
	awk -v program="$1" -v tool="$3" -v truth="$(sed -n 's/^share //p' "$scratch/printed")" -f "$here/quantities.awk" "$scratch/stacks" >"$scratch/found"
	# Of the known quantity, then of roots, which Go's own profile leaves out.
	echo "$hz,$(head -n 1 "$scratch/found"),$(sed -n '2s/^root,\([0-9]*,[0-9]*\),.*/\1/p' "$scratch/found" | grep . || echo ,),$(lost "$3")"
}

# Functions that exist: what is inlined counts for where it is, since perf knows no other. A name of a
# generic's instance is that of all.
physical() { # PROFILE
	go tool pprof -top -noinlines -sample_index=samples -nodecount=1000000 -nodefraction=0 "$1" 2>/dev/null |
		awk 'started && $1 > 0 { n = $1; for (i = 1; i <= 5; i++) $i = ""; sub(/^ +/, ""); print n "\t" $0 } /flat%/ { started = 1 }'
}
self_of() { # TOOL
	case $1 in
	gotrace) "$GOTRACE" export "$scratch/trace" --format=pprof -o "$scratch/profile" 2>/dev/null && physical "$scratch/profile" ;;
	go) physical "$scratch/profile" ;;
	perf) awk '{ n = $1; sub(/^[^ ]* /, ""); sub(/.*;/, ""); print n "\t" $0 }' "$scratch/stacks" ;;
	esac | awk -F'\t' '{
		sub(/\.abi0$/, "", $2); gsub(/[_ ]/, "_", $2); gsub(/,/, ";", $2)
		if (match($2, /\[.*\]/) && $2 !~ /^\[/) $2 = substr($2, 1, RSTART - 1) "[...]" substr($2, RSTART + RLENGTH)
		n[$2] += $1 } END { for (f in n) print f "," n[f] }' | sort
}
# Six runs of it, which is short.
real() { # TOOL ROUND
	local hz=999
	command_gofumpt "$scratch/out"
	[ "$1" != go ] || { hz=100 target=("$work/bin/gofumpt.profiled" "${target[@]:1}"); }
	: >"$scratch/selves"
	for _ in 1 2 3 4 5 6; do
		"with_$1" "$hz" "${target[@]}" || return 1
		self_of "$1" >>"$scratch/selves"
		lost "$1" >>"$scratch/lost.$1.$2"
	done
	awk -F, '{ n[$1] += $2 } END { for (f in n) print f "," n[f] }' "$scratch/selves" | sort |
		sed "s/^/gofumpt,$2,$1,$hz,/" | replace_rows "$out/functions.csv" "gofumpt,$2,$1,"
	echo "$hz,,,,,,,$(awk '{ n += $1 } END { if (NR) print n }' "$scratch/lost.$1.$2")"
}
variants_of() { # PROGRAM,BUILD
	local tool
	for tool in $tools; do [ "$1,$tool" = "${1%,*},stripped,go" ] || echo "$tool"; done # Go's own profile has names of its own
}
# The values of a row.
measure() { # PROGRAM,BUILD TOOL ROUND
	case $1 in
	gofumpt,*) real "$2" "$3" ;;
	*) known "${1%,*}" "${1#*,}" "$2" ;;
	esac
}

begin_run
fix go_of_programs "$(go env GOVERSION)"
fix perf "$(perf --version)"
fix gofumpt "$GOFUMPT"
fix quick "${QUICK:-no}"
build_stats "$scratch"
[ -e "$out/functions.csv" ] || echo "program,round,variant,hz,function,samples" >"$out/functions.csv"
cases=$(for p in $programs; do echo "$p,default"; [ "$p" = gofumpt ] || echo "$p,stripped"; done | paste -sd' ')
measure_rounds gotrace "$tools" "$cases" program,build hz,quantity,hits,of,truth,root_hits,root_of,lost_events
end_run
"$here/derive.sh" "$out"
cat "$out/summary.md"
echo "results are in $out"
