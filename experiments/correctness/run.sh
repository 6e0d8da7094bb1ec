#!/bin/bash
# Which tracers count and time Go calls right, and in which situations: programs
# that know their own calls, run under each tool.
#
#   sudo experiments/correctness/run.sh [PROGRAM...]    those of situations.csv; all without one
#
# LIMIT=30     seconds a cell may take
# GOTRACE=     the command to test, build/gotrace
# RESULTS=     where to put the results, results/correctness
#
# Every run writes a folder of its own: raw.csv (a row a function, never edited),
# cells.csv (a row a cell), environment.txt, summary.md.
set -u
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
LIMIT=${LIMIT:-30}
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
RESULTS=${RESULTS:-$top/results/correctness}
delve_version=v1.27.2
tools=(gotrace gotrace_thesis bpftrace bpftrace_uretprobe delve)

die() { echo "correctness: $*" >&2; exit 1; }
say() { echo "correctness: $*" >&2; }
# shellcheck source=tools.sh
. "$here/tools.sh"

[ -x "$GOTRACE" ] || die "$GOTRACE is missing; run: make"
[ "$(id -u)" = 0 ] || die "tracing needs root; run: sudo experiments/correctness/run.sh"
# shellcheck source-path=SCRIPTDIR source=../provenance.sh
. "$top/experiments/provenance.sh"
may_measure correctness
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
command -v go >/dev/null || die "no Go toolchain; run: ci/deps.sh go"

work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-correctness.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
bin=$work/bin/noinline stripped=$work/stripped debug=$work/debug
export PATH=$PATH:$work/go/bin

# Delve is built here, in the version that is named above.
if ! GOBIN=$work/go/bin GOFLAGS='' go install "github.com/go-delve/delve/cmd/dlv@$delve_version" >"$work/dlv.log" 2>&1; then
	delve_missing="not built: $(tail -n 1 "$work/dlv.log" | cut -c 1-100)"
fi
command -v bpftrace >/dev/null || bpftrace_missing="bpftrace is not installed; run: ci/deps.sh correctness"
delve_missing=${delve_missing:-} bpftrace_missing=${bpftrace_missing:-}

build() {
	local programs
	programs=$(tail -n +2 "$here/situations.csv" | cut -d, -f2)
	# shellcheck disable=SC2086 # a list of words
	"$top/fixtures/programs/build.sh" "$work/bin" $programs >"$work/build.log" 2>&1 || {
		cat "$work/build.log" >&2
		die "the programs cannot be built"
	}
	mkdir "$stripped" "$debug"
	for p in "$bin"/*; do
		# The text stays where it is.
		objcopy --strip-all "$p" "$stripped/${p##*/}" || die "objcopy of $p failed; run: ci/deps.sh test"
		p=$(dirname "$(ls "$top"/fixtures/programs/{,go1.*/}"${p##*/}"/main.go 2>/dev/null)")
		(cd "$p" && go build -buildvcs=false -trimpath -gcflags='all=-N -l' -o "$debug/" .) ||
			die "$p cannot be built without optimisations"
	done
}

cell() { # SITUATION PROGRAM TOOL VERDICT HOW
	printf '"%s",%s,%s,%s,"%s"\n' "$1" "$2" "$3" "$4" "$(tr '",' "';" <<<"$5")" >>"$out/cells.csv"
}

# What the program should not have done.
target_trouble() { # EXPECTED-STATUS
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		echo "the program did not end within $LIMIT s"
	elif [ -n "$status" ] && [ "$status" != "$1" ]; then
		echo "the program ended with status $status"
	fi
}

run_cell() { # SITUATION PROGRAM ARGUMENTS STATUS TOOL
	local missing=${5%%_*}_missing args=() trouble=
	missing=${!missing:-}
	if [ -n "$missing" ]; then
		cell "$1" "$2" "$5" "not run" "$missing"
		return
	fi
	if [ ! -e "$bin/$2" ]; then
		cell "$1" "$2" "$5" "not run" "$2 needs a C compiler or a newer Go"
		return
	fi
	[ -z "$3" ] || read -ra args <<<"$3"
	rm -f "$work"/{printed,reported,out,err,trace*}
	: >"$work/printed"
	: >"$work/err"
	if ! "run_$5" "$2" "${args[@]}"; then
		cell "$1" "$2" "$5" "not possible" "$reason"
		return
	fi
	trouble=${trouble:-$(target_trouble "$4")}
	if ! grep -q '^count' "$work/printed"; then
		cell "$1" "$2" "$5" wrong "${trouble:-the program did not come to its end}"
		return
	fi
	awk -v situation="$1" -v program="$2" -v tool="$5" -v raw="$out/raw.csv" -v cells="$out/cells.csv" \
		-v target="$trouble" -f "$here/score.awk" "$work/printed" "$work/reported"
}

build
begin_run
note bpftrace "$(bpftrace --version 2>/dev/null || echo none)"
note delve "$(dlv version 2>/dev/null | awk '/^Version/ { print $2 }')"
note limit_s "$LIMIT"
echo "situation,program,tool,function,expected_calls,expected_returned,expected_unwound,expected_unfinished,calls,returned,durations,foreign_durations,unwound,unfinished,suspect" >"$out/raw.csv"
echo "situation,program,tool,verdict,how" >"$out/cells.csv"
while IFS=, read -r situation program arguments want <&3; do
	if [ $# -gt 0 ] && [[ " $* " != *" $program "* ]]; then continue; fi
	for tool in "${tools[@]}"; do
		say "$situation: $tool"
		run_cell "$situation" "$program" "$arguments" "$want" "$tool"
	done
done 3< <(tail -n +2 "$here/situations.csv")
end_run
awk -f "$here/summary.awk" "$out/cells.csv" >"$out/summary.md"
cat "$out/summary.md"
echo "results are in $out"
