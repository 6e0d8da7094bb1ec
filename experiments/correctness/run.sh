#!/bin/bash
# Which tracers count and time Go calls right, and in which situations: programs
# that know their own calls, run under each tool.
#
#   sudo experiments/correctness/run.sh [PROGRAM...]    those of situations.csv; all without one
#
# RUNS=10          repetitions of each cell; a tool that takes long has fewer: see repetitions_of
# QUICK=1          one, on any machine
# TOOLS=           of: gotrace gotrace_springboard gotrace_emulated gotrace_thesis bpftrace bpftrace_r14 bpftrace_uretprobe
#                  perf delve_ebpf delve exectrace cpuprofile
# LIMIT=30         seconds a cell may take
# SLOW_LIMIT=10    seconds one of Delve's or of Go's own profiles may take
# GOTRACE=         the command to test, build/gotrace
# RESULTS=         where to put the results, results/correctness
# RESUME=FOLDER    goes on with a run that was interrupted
#
# Every run writes a folder of its own: raw.csv (a row a function and repetition, never edited), cells.csv (what each
# repetition comes to), absent.csv, environment.txt, summary.md.
# shellcheck disable=SC2034 # TOOL_missing are read by name
set -u
# shellcheck source-path=SCRIPTDIR source=../begin.sh
. "$(dirname "$0")/../begin.sh"
prepare correctness 10
LIMIT=${LIMIT:-30}
SLOW_LIMIT=${SLOW_LIMIT:-10}
delve_version=v1.27.2
tools=${TOOLS:-gotrace gotrace_springboard gotrace_emulated gotrace_thesis bpftrace bpftrace_r14 bpftrace_uretprobe perf delve_ebpf delve exectrace cpuprofile}

say() { echo "correctness: $*" >&2; }
# shellcheck source-path=SCRIPTDIR source=tools.sh
. "$here/tools.sh"
# shellcheck source-path=SCRIPTDIR source=own.sh
. "$here/own.sh"
for tool in $tools; do
	declare -F "run_$tool" >/dev/null || cannot "no tool is called '$tool'"
done
work=$scratch
trap 'perf_unprobe; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
bin=$work/bin/noinline stripped=$work/stripped debug=$work/debug
export PATH=$PATH:$work/go/bin

# Delve is built here, in the version that is named above.
if ! GOBIN=$work/go/bin GOFLAGS='' go install "github.com/go-delve/delve/cmd/dlv@$delve_version" >"$work/dlv.log" 2>&1; then
	delve_missing="not built: $(tail -n 1 "$work/dlv.log" | cut -c 1-100)"
fi
command -v bpftrace >/dev/null || bpftrace_missing="bpftrace is not installed; run: ci/deps.sh correctness"
perf_missing=$(perf_reason)

build() {
	local programs
	programs=$(cut -d, -f2 "$work/situations")
	# shellcheck disable=SC2086 # a list of words
	"$top/fixtures/programs/build.sh" "$work/bin" $programs >"$work/build.log" 2>&1 || {
		cat "$work/build.log" >&2
		cannot "the programs cannot be built"
	}
	mkdir "$stripped" "$debug"
	for p in "$bin"/*; do
		# The text stays where it is.
		objcopy --strip-all "$p" "$stripped/${p##*/}" || cannot "objcopy of $p failed; run: ci/deps.sh test"
		p=$(dirname "$(ls "$top"/fixtures/programs/{,go1.*/}"${p##*/}"/main.go 2>/dev/null)")
		(cd "$p" && go build -buildvcs=false -trimpath -gcflags='all=-N -l' -o "$debug/" .) ||
			cannot "$p cannot be built without optimisations"
	done
}

# What takes long is repeated less: bpftrace attaches and detaches site by site.
repetitions_of() { # TOOL
	case $1 in
	gotrace*) echo "$rounds" ;;
	perf) echo $(((rounds + 1) / 2)) ;;
	bpftrace* | delve_ebpf) echo $(((3 * rounds + 9) / 10)) ;;
	*) echo 1 ;;
	esac
}

cell() { # VERDICT HOW
	printf '"%s",%s,%s,%s,%s,"%s"\n' "$situation" "$program" "$tool" "$repetition" "$1" "$(tr '",\n' "';" <<<"$2" | sed 's/;$//')" >>"$work/cell"
}

# What the program should not have done.
target_trouble() { # EXPECTED-STATUS
	[ -z "$status" ] || [ "$status" = "$1" ] || echo "the program ended with status $status"
}

# One repetition of one cell, into $work/cell and $work/functions.
run_cell() { # ARGUMENTS STATUS
	local missing=${tool%%_*}_missing args=() trouble=
	missing=${!missing:-}
	if [ -n "$missing" ]; then
		cell "not run" "$missing"
		return
	fi
	if [ ! -e "$bin/$program" ]; then
		cell "not run" "$program needs a C compiler or a newer Go"
		return
	fi
	[ -z "$1" ] || read -ra args <<<"$1"
	rm -f "$work"/{reported,out,err,trace*}
	: >"$work/printed"
	: >"$work/err"
	: >"$work/refused"
	verdict=wrong reason='' refusal=''
	if ! "run_$tool" "$program" "${args[@]}"; then
		cell "$verdict" "$reason"
		return
	fi
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		cell "no end" "not within $LIMIT s"
		return
	fi
	trouble=$(target_trouble "$2")
	if ! grep -q '^count' "$work/printed"; then
		cell wrong "${trouble:-the program did not come to its end}"
		return
	fi
	awk -v situation="$situation" -v program="$program" -v tool="$tool" -v repetition="$repetition" -v raw="$work/functions" \
		-v cells="$work/cell" -v target="$trouble" -v refusal="$refusal" -f "$here/score.awk" \
		"$work/printed" kind=refused "$work/refused" kind=reported "$work/reported"
}

# cells.csv says what is there: a row of raw.csv without one in it was interrupted, and so was a row without an end.
begin_cells() {
	local file
	if [ ! -s "$out/cells.csv" ]; then
		echo "situation,program,tool,repetition,verdict,how" >"$out/cells.csv"
		echo "situation,program,tool,repetition,function,expected_calls,expected_returned,expected_unwound,expected_unfinished,calls,returned,durations,foreign_durations,unwound,unfinished,suspect,refused" >"$out/raw.csv"
		return
	fi
	for file in cells raw; do
		[ -z "$(tail -c 1 "$out/$file.csv")" ] || sed -i '$d' "$out/$file.csv"
	done
	awk -F, 'NR == FNR { whole[$1, $2, $3, $4]; next } ($1, $2, $3, $4) in whole' "$out/cells.csv" "$out/raw.csv" >"$work/raw" &&
		cp "$work/raw" "$out/raw.csv"
}
say_left() {
	local left=
	[ "$new" = 0 ] || left=", about $(((all - over) * (SECONDS - started) / new / 60 + 1)) minutes left"
	say "repetition $repetition of $rounds: $situation ($over of $all cells)$left"
}
repeat_all() { # SITUATIONS-FILE
	local situation program arguments want tool before new=0 over=0 all=0 started=$SECONDS
	local -A took=()
	for tool in $tools; do all=$((all + $(repetitions_of "$tool") * $(wc -l <"$1"))); done
	rows=$out/cells.csv # has_row looks there
	for ((repetition = 1; repetition <= rounds; repetition++)); do
		while IFS=, read -r situation program arguments want <&3; do
			say_left
			for tool in $tools; do
				[ "$repetition" -le "$(repetitions_of "$tool")" ] || continue
				over=$((over + 1))
				! has_row "\"$situation\",$program,$tool,$repetition," || continue
				new=$((new + 1))
				rm -f "$work/cell" "$work/functions"
				before=${EPOCHREALTIME//[!0-9]/}
				run_cell "$arguments" "$want"
				took[$tool]=$((${took[$tool]:-0} + ${EPOCHREALTIME//[!0-9]/} - before))
				[ ! -s "$work/functions" ] || cat "$work/functions" >>"$out/raw.csv"
				cat "$work/cell" >>"$out/cells.csv"
			done
		done 3<"$1"
	done
	note took_s "$(for tool in $tools; do echo "$tool $((${took[$tool]:-0} / 1000000))"; done | paste -sd, | sed 's/,/, /g')"
}

tail -n +2 "$here/situations.csv" | awk -F, -v only=" $* " 'only == "  " || index(only, " " $2 " ")' >"$work/situations"
[ -s "$work/situations" ] || cannot "no situation has a program called $*"
begin_run
fix bpftrace "$(bpftrace --version 2>/dev/null || echo none)"
fix perf "$(perf --version 2>/dev/null || echo none)"
fix delve "$(dlv version 2>/dev/null | awk '/^Version/ { print $2 }')"
fix limit_s "$LIMIT, of Delve and Go's own $SLOW_LIMIT"
fix repetitions "$(for tool in $tools; do echo "$tool $(repetitions_of "$tool")"; done | paste -sd, | sed 's/,/, /g')"
fix programs "$(cut -d, -f2 "$work/situations" | paste -sd' ')"
build
begin_cells
[ -s "$out/absent.csv" ] || absent_tools >"$out/absent.csv"
repeat_all "$work/situations"
end_run
"$here/summary.sh" "$out" >"$out/summary.md" || exit 1
cat "$out/summary.md"
echo "results are in $out"
