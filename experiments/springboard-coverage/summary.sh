#!/bin/sh
# summary.sh FOLDER: rows.csv as Markdown.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
must_have_ended "$1"
out=$1
echo "# Sites that cost one trap, by program and Go version"
echo
echo "Everything selected (-p all: every package but the runtime's own; ants: main and the library). *Entries*"
echo "and *exits*: share that the kernel emulates as they stand or that runs in a stub; *functions*: none of whose"
echo "sites is single-stepped. $(stored gotrace); \`make experiment-springboard-coverage\`."
echo
echo "| program | Go | functions | entries | exits | functions without a single step |"
echo "|---|---|--:|--:|--:|--:|"
awk -F, 'NR > 1 { printf "| %s | %s | %d | %.1f %% | %.1f %% | %.1f %% |\n", $1, $2, $10,
	100 * $3 / $4, 100 * $6 / $7, 100 * $9 / $10 }' "$1/rows.csv" | LC_ALL=C sort -t '|' -k2,2 -k3,3V
without=$(sed -n 's/^without_ants_\(.*\): .*/\1/p' "$1/environment.txt" | paste -sd' ')
[ -z "$without" ] || echo "
ants cannot be built with Go $without."
