#!/bin/bash
# Traps of real programs with --probe=inline. Sites: the go command and an HTTP server, with each Go version of the regression
# table. Events: the programs of hits.sh, recorded. Package syscall, whose functions never have inline stubs, is left out.
# Sites are the same each time: there are no rounds. Events need root.
#
#   experiments/inline-coverage/run.sh [VERSION...]     GOTRACE=build/gotrace
#
# GO="1.22.0 1.27.4" instead of VERSION...; QUICK=1: these two
# PROGRAMS=  the programs of hits.sh that are recorded, all
# Writes results/inline-coverage/RUN-ID/: rows.csv, hits.csv, environment.txt and summary.md.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../springboard-coverage/programs.sh
. "$top/experiments/springboard-coverage/programs.sh"
# shellcheck source=hits.sh
. "$here/hits.sh"
prepare inline-coverage "$@"

row() { # PROGRAM GO BINARY
	"$GOTRACE" plan --probe=inline -p all -x 'syscall.*' "$3" | awk -v program="$1" -v go="$2" '
		/^no trap:/ {
			split($0, w, /[^0-9.]+/)
			row = w[2] "," w[3] "," w[5] "," w[6]
		}
		/ single-stepped: / { stepped += $1 }
		END { if (row == "") exit 1; printf "%s,%s,%s,%d\n", program, go, row, stepped }' >>"$out/rows.csv"
}

echo program,go,no_trap_entries,entries,no_trap_exits,exits,stepped_sites >"$out/rows.csv"
for go in "${versions[@]}"; do
	use_go "$go"
	row go "$go" "$(go env GOROOT)/bin/go"
	build_web
	row web "$go" "$work/web"
done
unset GOTOOLCHAIN
export PATH=$path_before
read -ra programs <<<"${PROGRAMS:-$HIT_PROGRAMS}"
hits "${programs[@]}"
end_run
"$here/summary.sh" "$out" >"$out/summary.md"
cat "$out/summary.md"
