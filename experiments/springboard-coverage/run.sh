#!/bin/bash
# What of real programs can be probed at one trap a site: gofmt, the go command, an
# HTTP server and ants, with each Go version of the regression table. Needs no root.
#
#   experiments/springboard-coverage/run.sh [VERSION...]     GOTRACE=build/gotrace
#
# Writes results/springboard-coverage/: rows.csv and summary.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
[ -x "$GOTRACE" ] || { echo "springboard-coverage: $GOTRACE is missing; run: make" >&2; exit 1; }
# shellcheck source=../../ci/toolchain.sh
. "$top/ci/toolchain.sh"
mapfile -t versions < <(grep -v '^#' "$top/ci/go-versions")
[ $# = 0 ] || versions=("$@")
out=$top/results/springboard-coverage
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
export GOFLAGS="-buildvcs=false -trimpath"

# `plan` counts; its two lines of figures become a row.
row() { # PROGRAM GO BINARY SELECTION...
	local program=$1 go=$2 binary=$3
	shift 3
	"$GOTRACE" plan --probe=springboard "$@" "$binary" | awk -v program="$program" -v go="$go" '
		/^one trap each:/ {
			n = split($0, w, /[^0-9.]+/)
			printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", program, go, w[2], w[3], w[5], w[6], w[7], w[9], w[10], w[11]
		}' >>"$work/rows"
}

for go in "${versions[@]}"; do
	use_go "$go"
	root=$(go env GOROOT)
	row gofmt "$go" "$root/bin/gofmt" -p all
	row go "$go" "$root/bin/go" -p all
	(cd "$here/web" && go build -o "$work/web" .) && row web "$go" "$work/web" -p all
	if (cd "$top/experiments/workloads/ants" && go build -mod=mod -o "$work/ants" .) 2>"$work/log"; then
		row ants "$go" "$work/ants" -p main -p github.com/panjf2000/ants/v2
	else
		echo "springboard-coverage: ants cannot be built with go$go: $(tail -n 1 "$work/log")" >&2
	fi
done
{
	echo program,go,cheap_entries,entries,stub_entries,cheap_exits,exits,stub_exits,cheap_funcs,funcs
	cat "$work/rows"
} >"$out/rows.csv"
{
	echo "# Sites that cost one trap, by program and Go version"
	echo
	echo "Everything selected (-p all: every package but the runtime's own; ants: main and the library). *Entries*"
	echo "and *exits*: share that the kernel emulates as they stand or that runs in a stub; *functions*: none of whose"
	echo "sites is single-stepped. gotrace $("$GOTRACE" --version | head -n 1 | sed 's/^gotrace //'); \`make experiment-springboard-coverage\`."
	echo
	echo "| program | Go | functions | entries | exits | functions without a single step |"
	echo "|---|---|--:|--:|--:|--:|"
	awk -F, 'NR > 1 { printf "| %s | %s | %d | %.1f %% | %.1f %% | %.1f %% |\n", $1, $2, $10,
		100 * $3 / $4, 100 * $6 / $7, 100 * $9 / $10 }' "$out/rows.csv" | sort -t '|' -k2,2 -k3,3V
} >"$out/summary.md"
cat "$out/summary.md"
