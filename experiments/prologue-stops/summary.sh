#!/bin/sh
# summary.sh FOLDER: what became of stopped prologues, from raw.csv, as Markdown.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@" # it sets stats and scratch
# shellcheck disable=SC2154
cd "$1"

# Lines GROUP,PART,WHOLE: growth in all stops, as the thesis's probes saw them, and as the counter saw those of all functions.
awk -F, -v OFS=, '
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
function of(name) { return $(at[name]) }
function share(what, prefix, suffix,   c, n, class, sum) {
	n = split("growth yield gc declined", class, " ")
	for (c = 1; c <= n; c++) sum += of(prefix class[c] suffix)
	print of("program"), of("go"), of("variant"), what, of(prefix "growth" suffix), sprintf("%.0f", sum)
}
of("discarded") == 0 {
	share("all", "", "")
	share("own", "own_", "")
	if (of("variant") == "thesis") { share("count", "trace_", ""); share("time", "", "_ns") }
}' raw.csv | "$stats" shares program,go,variant,what >"$scratch/shares"

awk -F, -v OFS=, '
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
$(at["discarded"]) == 0 {
	split("growth yield gc declined", class, " ")
	for (c = 1; c <= 4; c++) print $(at["program"]), $(at["go"]), class[c], $(at["variant"]), $(at["round"]), $(at[class[c]])
}' raw.csv | "$stats" compare untraced untraced-again program,go,what >"$scratch/compared"
awk -F, -f "$here/summary.awk" "$scratch/shares" "$scratch/compared" raw.csv
