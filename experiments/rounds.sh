# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh disable=SC2154,SC2034 # top and out are provenance.sh's, stats is for those who source this
# Rounds of variants that are measured side by side. Sourced by run.sh and derive.sh behind provenance.sh; POSIX sh.
#
# build_stats FOLDER   builds $stats, experiments/stats, there
# fix KEY VALUE        a line of environment.txt that says what is measured; of a run that goes on it must be there already
# measure_rounds BASE 'VARIANT...' 'CASE...' COLUMNS VALUES
#     $rounds rounds, and round 0 before, which is discarded but kept: in each, each case in each variant, in an order that
#     is drawn anew from the seed. BASE is measured once more as BASE-again (A/A). A case is the values of COLUMNS, "a,b".
#     The caller's `measure CASE VARIANT ROUND ROW` prints the values of VALUES; ROW is VARIANT, or BASE-again. Rows go to
#     $out/raw.csv.
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

measure_rounds() { # BASE 'VARIANT...' 'CASE...' COLUMNS VALUES
	if [ -n "${RESUME:-}" ]; then seed=$(stored seed); else seed=${SEED:-$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; fi
	fix seed "$seed"
	fix rounds "$rounds after 1 discarded"
	fix variants "$2"
	fix cases "$3"
	begin_rows "$4,round,discarded,variant,$5"
	started=$(date +%s) done_runs=0 new_runs=0
	all_runs=$(((rounds + 1) * $(echo "$3" | wc -w) * ($(echo "$2" | wc -w) + 1)))
	round=0
	while [ "$round" -le "$rounds" ]; do
		for case in $3; do
			say_where "$case"
			# shellcheck disable=SC2086 # a list of words
			order=$("$stats" order "$seed" "$round $case" $2 "$1-again") || exit 1
			for variant in $order; do measure_one "$case" "$variant"; done
		done
		round=$((round + 1))
	done
}
