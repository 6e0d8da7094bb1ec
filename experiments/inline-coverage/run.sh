#!/bin/bash
# What of real programs needs no trap with --probe=inline: the go command and an HTTP server, with
# each Go version of the regression table. Package syscall, whose functions never have inline
# stubs, is left out. Needs no root.
#
#   experiments/inline-coverage/run.sh [VERSION...]     GOTRACE=build/gotrace
#
# Writes results/inline-coverage/: rows.csv and summary.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
[ -x "$GOTRACE" ] || { echo "inline-coverage: $GOTRACE is missing; run: make" >&2; exit 1; }
# shellcheck source=../../ci/toolchain.sh
. "$top/ci/toolchain.sh"
mapfile -t versions < <(grep -v '^#' "$top/ci/go-versions")
[ $# = 0 ] || versions=("$@")
out=$top/results/inline-coverage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
export GOFLAGS="-buildvcs=false -trimpath"

row() { # PROGRAM GO BINARY
	"$GOTRACE" plan --probe=inline -p all -x 'syscall.*' "$3" | awk -v program="$1" -v go="$2" '
		/^no trap:/ {
			split($0, w, /[^0-9.]+/)
			row = w[2] "," w[3] "," w[5] "," w[6]
		}
		/ single-stepped: / { stepped += $1 }
		END { printf "%s,%s,%s,%d\n", program, go, row, stepped }' >>"$work/rows"
}

for go in "${versions[@]}"; do
	use_go "$go"
	row go "$go" "$(go env GOROOT)/bin/go"
	(cd "$top/experiments/springboard-coverage/web" && go build -o "$work/web" .) && row web "$go" "$work/web"
done
{
	echo program,go,no_trap_entries,entries,no_trap_exits,exits,stepped_sites
	cat "$work/rows"
} >"$out/rows.csv"
{
	echo "# Sites without a trap under --probe=inline, by program and Go version"
	echo
	echo "Everything selected (-p all: every package but the runtime's own) but package syscall."
	echo "*Stepped*: sites that still take two traps. Goal: at least 91 % of entries and 96.5 % of exits from Go 1.20 on."
	echo "gotrace $("$GOTRACE" --version | head -n 1 | sed 's/^gotrace //'); \`make experiment-inline-coverage\`."
	echo
	echo "| program | Go | entries | without a trap | exits | without a trap | stepped | goal |"
	echo "|---|---|--:|--:|--:|--:|--:|---|"
	awk -F, 'NR > 1 {
		split($2, v, ".")
		met = $3 / $4 >= 0.91 && $5 / $6 >= 0.965
		printf "| %s | %s | %d | %.1f %% | %d | %.1f %% | %d | %s |\n", $1, $2, $4, 100 * $3 / $4, $6,
			100 * $5 / $6, $7, v[2] < 20 ? (met ? "met (not asked for)" : "not asked for") : met ? "met" : "missed"
	}' "$out/rows.csv" | sort -t '|' -k2,2 -k3,3V
} >"$out/summary.md"
cat "$out/summary.md"
