#!/bin/bash
# Shares that gotrace sample, perf record and Go's own CPU profile say, of programs whose shares are known, and the
# self time of a real program's functions as each of the three sees it.
#
#   sudo experiments/sample-accuracy/run.sh      ROUNDS=5, QUICK=1, GOTRACE=build/gotrace
#
# Each run writes results/sample-accuracy/<run-id>/: rows.csv and functions.csv (never edited), environment.txt,
# summary.md. In a round every program runs once with every tool. QUICK=1: one round, into a folder that is thrown
# away. WORK=DIR keeps the built programs there.
set -euo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
quick=${QUICK:-}
rounds=${ROUNDS:-$([ -n "$quick" ] && echo 1 || echo 5)}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
die() { echo "sample-accuracy: $*" >&2; exit 1; }
[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "sampling needs root; run: sudo make experiment-sample-accuracy"
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure sample-accuracy
command -v perf >/dev/null || die "perf is missing; run: ci/deps.sh experiment"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-accuracy.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
work=${WORK:-$scratch/work}
mkdir -p "$work/bin"
work=$(cd "$work" && pwd)
# shellcheck source=../real-programs/programs.sh
. "$top/experiments/real-programs/programs.sh"

# ---- what is sampled: PROGRAM, its rate in Hz and its arguments
programs=(shares leafs instep cgochurn)
rate_of() { if [ "$1" = instep ]; then echo 499; else echo 999; fi; }
arguments_of() {
	case $1 in
	shares) if [ -n "$quick" ]; then echo 5; else echo 20; fi ;;
	leafs) if [ -n "$quick" ]; then echo 1; else echo 4; fi ;;
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
"$top/fixtures/programs/build.sh" "$work/programs" "${programs[@]}"
for p in "${programs[@]}"; do profiled "$p"; done
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp"
[ -x "$work/bin/gofumpt.profiled" ] || prepare_gofumpt

[ -z "$quick" ] || RESULTS=$scratch/results
begin_run
note perf "$(perf --version)"
note gofumpt "$GOFUMPT"
note rounds "$rounds"
echo "round,program,build,tool,hz,quantity,hits,of,truth" >"$out/rows.csv"
echo "round,program,tool,hz,function,samples" >"$out/functions.csv"

# ---- each writes the stacks of one run, "COUNT OUTERMOST;...;LEAF", to $scratch/stacks, and what the program printed
with_gotrace() { # HZ COMMAND...
	"$GOTRACE" sample -F "$1" -o "$scratch/trace" -- "${@:2}" >"$scratch/printed" 2>"$scratch/said" || die "$(cat "$scratch/said")"
	"$GOTRACE" export "$scratch/trace" --format=folded --weight=calls -o "$scratch/folded" 2>/dev/null
	awk '{ n = $NF; $NF = ""; sub(/ $/, ""); gsub(/ /, "_"); print n, $0 }' "$scratch/folded" >"$scratch/stacks"
}
with_perf() { # HZ COMMAND...
	perf record -q -e cpu-clock -F "$1" --call-graph fp -o "$scratch/perf.data" -- "${@:2}" >"$scratch/printed" 2>"$scratch/said" ||
		die "$(cat "$scratch/said")"
	perf script --no-inline -F ip,sym -i "$scratch/perf.data" 2>/dev/null | awk -f "$here/perf-stacks.awk" >"$scratch/stacks"
}
with_go() { # HZ COMMAND... of the copy that profiles itself
	CPUPROFILE=$scratch/profile CPUPROFILE_HZ=$1 "${@:2}" >"$scratch/printed" 2>"$scratch/said"
	go tool pprof -traces -sample_index=samples "$scratch/profile" 2>/dev/null | awk -f "$here/pprof-stacks.awk" >"$scratch/stacks"
}

known() { # ROUND PROGRAM BUILD TOOL
	local hz path=$work/programs/$3/$2
	hz=$(rate_of "$2")
	[ "$4" != go ] || path=$work/bin/$2.profiled
	# shellcheck disable=SC2046 # words, or none
	"with_$4" "$hz" "$path" $(arguments_of "$2")
	awk -v program="$2" -v tool="$4" -v truth="$(sed -n 's/^share //p' "$scratch/printed")" -f "$here/quantities.awk" "$scratch/stacks" |
		sed "s/^/$1,$2,$3,$4,$hz,/" >>"$out/rows.csv"
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
real() { # ROUND TOOL
	local hz=999
	command_gofumpt "$scratch/out"
	[ "$2" != go ] || { hz=100 target=("$work/bin/gofumpt.profiled" "${target[@]:1}"); }
	"with_$2" "$hz" "${target[@]}"
	self_of "$2" | sed "s/^/$1,gofumpt,$2,$hz,/" >>"$out/functions.csv"
}

for round in $(seq "$rounds"); do
	echo "sample-accuracy: round $round of $rounds" >&2
	for program in "${programs[@]}"; do
		for tool in gotrace perf go; do known "$round" "$program" default $tool; done
		for tool in gotrace perf; do known "$round" "$program" stripped $tool; done
	done
	for _ in 1 2 3 4 5 6; do
		for tool in gotrace perf go; do real "$round" $tool; done
	done
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
[ -n "$quick" ] || echo "rows: $out/rows.csv"
