# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154,SC2034 # top and out are provenance.sh's, stats is for those who source this
# Rounds of variants that are measured side by side. Sourced by run.sh and derive.sh behind provenance.sh; POSIX sh.
#
# prepare NAME [ROUNDS]  each run.sh in bash calls it: RUNS (or ROUNDS, its name of old) to $rounds, which QUICK=1 makes 1;
#                      root, $GOTRACE, the Go of GO=, if it is one; may_measure; $scratch, a folder that is gone at the end
# keep_builds          $work: WORK=DIR, a folder of its own for each Go, or one below $scratch
# chosen WHAT 'KNOWN...' CHOSEN...   the words chosen, one of which is not known: the end
# build_stats FOLDER   builds $stats, experiments/stats, there
# fix KEY VALUE        a line of environment.txt that says what is measured; of a run that goes on it must be there already
# measure_rounds BASE 'VARIANT...' 'CASE...' COLUMNS VALUES
#     $rounds rounds, and round 0 before, which is discarded but kept: in each, each case in each variant, in an order that
#     is drawn anew from the seed. BASE is measured once more as BASE-again (A/A). A case is the values of COLUMNS, "a,b".
#     The caller's `measure CASE VARIANT ROUND ROW` prints the values of VALUES; ROW is VARIANT, or BASE-again. It is run in a
#     subshell: what it sets is lost. Rows go to $out/raw.csv. Where the caller has `variants_of CASE`, the variants that it
#     prints are those of the case, with -again where there shall be one. BASE -: nothing is compared, nor measured twice.
# replace_rows FILE BEGIN   standard input instead of the rows of FILE that begin so: more rows of one run, which may be
#                           measured again after a crash
# begin_derive FOLDER       what each derive.sh begins with: the run has ended; sets $out to FOLDER, $scratch, and $stats in it
# must_have_ended FOLDER    the same refusal, for what makes tables of other rows
# compare_rows BASE VALUE...      summary.csv of raw.csv, by experiments/stats: VALUE is a column of it, or COLUMN/COLUMN
# table TITLES COLUMNS [VALUE]    summary.csv as Markdown, see table.awk
#
# A run that was interrupted goes on with RESUME=FOLDER, with the rows that are there: the same seed, so the same order. Its
# sources, gotrace, kernel and what was fixed must be the same. SEED= fixes the order of a new run.

build_stats() { # FOLDER
	stats=$1/stats
	library=$(realpath -m "${O:-$top/build}")/libgotrace.a
	[ -e "$library" ] || make -s -C "$top" O="${library%/*}" "$library" || exit 1
	"${CC:-gcc}" -O2 -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -I"$top/core" -o "$stats" \
		"$top/experiments/stats/stats.c" "$library" -lm || exit 1
}

cannot() { echo "$experiment: $*" >&2; exit 1; }
prepare() { # NAME ROUNDS
	experiment=$1
	rounds=${RUNS:-${ROUNDS:-${QUICK:+1}}}
	rounds=${rounds:-${2:-1}}
	[ "$rounds" -ge 1 ] 2>/dev/null || cannot "RUNS=$rounds is no number of rounds"
	GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
	[ -x "$GOTRACE" ] || cannot "$GOTRACE is missing; run: make"
	[ "$(id -u)" = 0 ] || cannot "tracing needs root; run: sudo make experiment-$1"
	may_measure "$1"
	# shellcheck source-path=SCRIPTDIR source=../ci/toolchain.sh
	. "$top/ci/toolchain.sh"
	case ${GO:-} in
	'' | *' '*) ;; # the caller uses each of several
	*) use_go "$GO" || exit 1 ;;
	esac
	command -v go >/dev/null || cannot "no Go toolchain; run: ci/deps.sh go"
	scratch=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-$1.XXXXXX") || exit 1
	trap 'rm -rf "$scratch"' EXIT
	chmod 755 "$scratch"
}
keep_builds() {
	work=${WORK:-$scratch/work}/$(go env GOVERSION)
	mkdir -p "$work/bin" || exit 1
	work=$(cd "$work" && pwd)
}
chosen() { # WHAT 'KNOWN...' CHOSEN...
	for word in $3; do
		case " $2 " in *" $word "*) ;; *) cannot "no $1 is called '$word'; there are: $2" ;; esac
	done
	echo "$3"
}
must_have_ended() { # FOLDER
	! grep -q '^load_at_end:\{0,1\} ' "$1/environment.txt" 2>/dev/null || return 0
	echo "$(basename "$0"): $1 is of a run that has not ended$([ ! -f "$1/raw.csv" ] || echo "; RESUME=$1 goes on with it")" >&2
	exit 1
}
begin_derive() { # FOLDER
	if [ $# != 1 ] || [ ! -f "$1/environment.txt" ]; then
		echo "usage: $(basename "$0") FOLDER-OF-A-RUN" >&2
		exit 2
	fi
	must_have_ended "$1"
	out=$1
	scratch=$(mktemp -d) || exit 1
	trap 'rm -rf "$scratch"' EXIT
	build_stats "$scratch"
}
compare_rows() { # BASE VALUE...
	base=$1
	shift
	awk -v values="$*" -f "$top/experiments/lines.awk" "$out/raw.csv" >"$scratch/lines" || exit 1
	group=$(head -n 1 "$out/raw.csv" | sed 's/,round,.*/,what/')
	"$stats" compare "$base" "$base-again" "$group" <"$scratch/lines" >"$out/summary.csv" || exit 1
}
table() { # 'TITLE|...' 'VALUE|TITLE|DIVISOR|FORMAT;...' [VALUE]
	awk -v titles="$1" -v columns="$2" -v ratio="${3:-}" -v variants="$(stored variants)" -v trial="$(stored quick)" \
		-f "$top/experiments/table.awk" "$out/summary.csv"
}

stored() { sed -n "s/^$1: //p" "$out/environment.txt" | head -n 1; } # KEY
fix() { # KEY VALUE
	if [ -z "${RESUME:-}" ]; then
		note "$1" "$2"
	elif [ "$(stored "$1")" != "$2" ]; then
		echo "$experiment: RESUME: $1 was '$(stored "$1")', not '$2'" >&2
		exit 1
	fi
}

# A row that was cut off by a crash is no row.
begin_rows() { # HEADER
	rows=$out/raw.csv
	if [ ! -s "$rows" ]; then
		echo "$1" >"$rows"
	elif [ "$(head -n 1 "$rows")" != "$1" ]; then
		echo "$experiment: RESUME: raw.csv has other columns" >&2
		exit 1
	elif [ -n "$(tail -c 1 "$rows")" ]; then
		sed -i '$d' "$rows"
		note resumed_without "the last row, which was cut off"
	fi
}
replace_rows() { # FILE BEGIN
	awk -v row="$2" 'index($0, row) != 1' "$1" >"$1.new" && cat >>"$1.new" && mv "$1.new" "$1"
}
has_row() { awk -v row="$1" 'index($0, row) == 1 { found = 1 } END { exit !found }' "$rows"; } # BEGIN-OF-ROW

# One run of a variant, unless its row is there.
measure_one() { # CASE VARIANT
	discarded=0
	[ "$round" != 0 ] || discarded=1
	row=$1,$round,$discarded,$2,
	done_runs=$((done_runs + 1))
	! has_row "$row" || return 0
	new_runs=$((new_runs + 1))
	if ! values=$(measure "$1" "${2%-again}" "$round" "$2"); then
		echo "$experiment: round $round of $1, $2, failed; RESUME=$out goes on with the rows that are there" >&2
		exit 1
	fi
	echo "$row$values" >>"$rows" # in one write: a whole row or none
}
# From the time that the runs of this start took.
say_where() { # CASE
	left=
	[ "$new_runs" = 0 ] || left=", about $(((all_runs - done_runs) * ($(date +%s) - started) / new_runs / 60 + 1)) minutes left"
	echo "$experiment: round $round of $rounds: $1$left" >&2
}

# measure_rounds's own, unless the caller says otherwise.
variants_in() { # CASE
	if command -v variants_of >/dev/null; then variants_of "$1"; else echo "$of_all"; fi
}
measure_rounds() { # BASE 'VARIANT...' 'CASE...' COLUMNS VALUES
	if [ -n "${RESUME:-}" ]; then seed=$(stored seed); else seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; fi
	fix seed "$seed"
	fix rounds "$rounds after 1 discarded"
	fix variants "$2"
	fix cases "$3"
	begin_rows "$4,round,discarded,variant,$5"
	of_all=$2
	[ "$1" = - ] || of_all="$2 $1-again"
	started=$(date +%s) done_runs=0 new_runs=0
	all_runs=$(((rounds + 1) * $(for case in $3; do variants_in "$case"; done | wc -w)))
	round=0
	while [ "$round" -le "$rounds" ]; do
		for case in $3; do
			say_where "$case"
			# shellcheck disable=SC2046 # a list of words
			order=$("$stats" order "$seed" "$round $case" $(variants_in "$case")) || exit 1
			for variant in $order; do measure_one "$case" "$variant"; done
		done
		round=$((round + 1))
	done
}
