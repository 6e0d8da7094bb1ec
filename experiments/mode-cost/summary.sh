#!/bin/bash
# summary.sh FOLDER: rows.csv as Markdown.
set -eu
functions=$(cat "$(dirname "$0")/../median.awk")
cd "$1"
echo "# What each mode takes"
echo
sed 's/^/- /' environment.txt
echo
echo "Per cent that the target took more than untraced in the same round: median, and the interval in which the true median is in"
echo "95 of 100 experiments. Processor time of the target alone, and of target and tool together. Seconds of the tool, events"
echo "or samples, and the size of the trace are medians; lost is the sum of all rounds. Round 0 is left out."
echo
echo "| program | mode | target's processor time, % | target's wall time, % | target and tool, % | tool, s | events or samples | lost | trace, KB |"
echo "|---|---|--:|--:|--:|--:|--:|--:|--:|"
awk -F, "$functions"'
function value(r, column,   all) {
	if (column == "tool") return tool[r, program, mode] / 1e9
	if (column == "events") return events[r, program, mode]
	if (column == "bytes") return bytes[r, program, mode] / 1e3
	if (column == "wall") return 100 * (wall[r, program, mode] / wall[r, program, "untraced"] - 1)
	all = column == "all" ? tool[r, program, mode] : 0
	return 100 * ((cpu[r, program, mode] + all) / cpu[r, program, "untraced"] - 1)
}
function values(column,   m, r) { # of program and mode into v; how many
	m = 0
	for (r = 1; r <= rounds; r++)
		if (((r, program, mode) in at) && ((r, program, "untraced") in at)) v[++m] = value(r, column)
	sort(v, m)
	return m
}
function more(column,   m) { m = values(column); return m ? sprintf("%+.1f (%s)", median(v, m), interval(v, m, "%+.1f")) : "-" }
function middle(column, format,   m) { m = values(column); return m ? sprintf(format, median(v, m)) : "-" }
# in the order of the table, which the rows are not in
function place(program, mode,   n, i, known) {
	n = split("untraced again,sample,sample --wall,sample --record-signals,record --no-states,record,record --record-signals,record --wakes", known, ",")
	for (i = 1; i <= n; i++) if (known[i] == mode) return i
	return n + 1
}
NR > 1 && $1 > 0 {
	at[$1, $2, $3]; cpu[$1, $2, $3] = $4; wall[$1, $2, $3] = $5; tool[$1, $2, $3] = $6
	events[$1, $2, $3] = $7; lost[$2, $3] += $8; bytes[$1, $2, $3] = $9
	if (!(($2, $3) in seen)) { seen[$2, $3]; order[++keys] = $2 FS $3 }
	if ($1 > rounds) rounds = $1
}
END {
	for (i = 1; i <= keys; i++) {
		split(order[i], p, FS)
		program = p[1]; mode = p[2]
		if (mode == "untraced") continue
		plain = mode == "untraced again"
		printf "%s %d\t| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", program, place(program, mode), program, plain ? "untraced again (A/A)" : "`" mode "`",
			more("cpu"), more("wall"), plain ? "" : more("all"), plain ? "" : middle("tool", "%.3f"), plain ? "" : middle("events", "%d"),
			plain ? "" : lost[program, mode], plain ? "" : middle("bytes", "%.1f")
	}
}' rows.csv | sort | cut -f 2
