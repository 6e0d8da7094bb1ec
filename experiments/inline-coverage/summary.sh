#!/bin/sh
# summary.sh FOLDER: rows.csv as Markdown.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
must_have_ended "$1"
out=$1
echo "# Sites without a trap under --probe=inline, by program and Go version"
echo
echo "Everything selected (-p all: every package but the runtime's own) but package syscall."
echo "*Stepped*: sites that still take two traps. Goal: at least 91 % of entries and 96.5 % of exits from Go 1.20 on."
echo "$(stored gotrace); \`make experiment-inline-coverage\`."
echo
echo "| program | Go | entries | without a trap | exits | without a trap | stepped | goal |"
echo "|---|---|--:|--:|--:|--:|--:|---|"
awk -F, 'NR > 1 {
	split($2, v, ".")
	met = $3 / $4 >= 0.91 && $5 / $6 >= 0.965
	printf "| %s | %s | %d | %.1f %% | %d | %.1f %% | %d | %s |\n", $1, $2, $4, 100 * $3 / $4, $6,
		100 * $5 / $6, $7, v[2] < 20 ? (met ? "met (not asked for)" : "not asked for") : met ? "met" : "missed"
}' "$1/rows.csv" | LC_ALL=C sort -t '|' -k2,2 -k3,3V
[ -e "$1/hits.csv" ] || exit 0
cat <<'END'

# Events without a trap, of programs that gotrace was not tuned by

Each event of a recording with everything selected (-p all) but package syscall. *At sites*: a probe there traps at every call.
*No room*: a stub left the event to its slow path, since the ring was full or the thread had none yet. Goal: 99.99 % of events
are of no site that traps.

| program | version | events | at sites | without | no room | goal |
|---|---|--:|--:|--:|--:|---|
END
awk -F, 'NR > 1 { printf "| %s | %s | %d | %d | %.4f %% | %d | %s |\n", $1, $2, $3, $4, 100 * (1 - $4 / $3), $5,
	$4 <= $3 / 10000 ? "met" : "missed" }' "$1/hits.csv"
