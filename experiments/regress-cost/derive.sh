#!/bin/sh
# Makes summary.csv and summary.md of the raw rows of a run.
#   experiments/regress-cost/derive.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@"
earlier=$(stored earlier) then=/dev/null
if [ "$earlier" != none ]; then
	then=${out%/*}/$earlier/summary.csv
	[ -e "$then" ] || then=$top/results/regress-cost/$earlier/summary.csv
	[ -e "$then" ] || { echo "derive.sh: $earlier, which $out is compared with, is not there" >&2; exit 1; }
fi
# Of each call: what it costs more than an untraced one of the same round, and of plain ones what they cost.
awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
	$col["discarded"] == 1 { next }
	{
		go = $col["go"]; v = $col["variant"]; r = $col["round"]
		cost[go, r, v] = $col["cpu_ns"] / $col["calls"]
		n++
		of_go[n] = go; of_variant[n] = v; of_round[n] = r
	}
	END {
		for (i = 1; i <= n; i++) {
			plain = cost[of_go[i], of_round[i], "plain"]
			this = cost[of_go[i], of_round[i], of_variant[i]]
			if (plain == "") continue
			printf "%s,added_ns,%s,%d,%.9g\n", of_go[i], of_variant[i], of_round[i], of_variant[i] == "plain" ? plain : this - plain
		}
	}' "$out/raw.csv" >"$scratch/lines"
"$stats" compare - - go,what <"$scratch/lines" >"$out/summary.csv"
lost=$(awk -F, 'NR > 1 && !$3 { n += $NF } END { printf "%.0f", n }' "$out/raw.csv")
{
	echo "# What a traced call costs, by strategy and Go version"
	echo
	echo "$(stored gotrace), $(stored kernel), $(stored cpu). $lost events lost."
	[ "$earlier" = none ] || echo "Earlier: $(sed -n 's/^gotrace: //p; s/^kernel: /, /p; s/^cpu: /, /p' "${then%/*}/environment.txt" | tr -d '\n') (\`$earlier\`)."
	echo
	[ -z "$(stored quick)" ] || printf '**A trial, not a result.**\n\n'
	awk -v earlier="$earlier" -v variants="$(stored variants)" -f "$here/tables.awk" "$then" "$out/summary.csv"
} >"$out/summary.md"
