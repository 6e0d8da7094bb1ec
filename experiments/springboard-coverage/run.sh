#!/bin/bash
# What of real programs can be probed at one trap a site: gofmt, the go command, an
# HTTP server and ants, with each Go version of the regression table. Needs no root. Counts of sites, which are the same each
# time: there are no rounds.
#
#   experiments/springboard-coverage/run.sh [VERSION...]     GOTRACE=build/gotrace
#
# GO="1.22.0 1.27.4" instead of VERSION...; QUICK=1: these two
# Writes results/springboard-coverage/RUN-ID/: rows.csv, environment.txt and summary.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$here/programs.sh"
prepare springboard-coverage "$@"

# `plan` counts; its two lines of figures become a row.
row() { # PROGRAM GO BINARY SELECTION...
	local program=$1 go=$2 binary=$3
	shift 3
	"$GOTRACE" plan --probe=springboard "$@" "$binary" | awk -v program="$program" -v go="$go" '
		/^one trap each:/ {
			n = split($0, w, /[^0-9.]+/)
			printf "%s,%s,%s,%s,%s,%s,%s,%s,%s,%s\n", program, go, w[2], w[3], w[5], w[6], w[7], w[9], w[10], w[11]
			found = 1
		}
		END { exit !found }' >>"$out/rows.csv"
}

echo program,go,cheap_entries,entries,stub_entries,cheap_exits,exits,stub_exits,cheap_funcs,funcs >"$out/rows.csv"
for go in "${versions[@]}"; do
	use_go "$go"
	root=$(go env GOROOT)
	row gofmt "$go" "$root/bin/gofmt" -p all
	row go "$go" "$root/bin/go" -p all
	build_web
	row web "$go" "$work/web" -p all
	if (cd "$top/experiments/workloads/ants" && go build -mod=mod -o "$work/ants" .) 2>"$work/log"; then
		row ants "$go" "$work/ants" -p main -p github.com/panjf2000/ants/v2
	else
		note "without_ants_$go" "it cannot be built: $(tail -n 1 "$work/log")"
	fi
done
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
