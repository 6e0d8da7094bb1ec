#!/bin/sh
# Prints cells.tsv as a table: a row for each kernel, Go version and way of probing,
# a column for each build; what is not exact is listed below it.
[ $# = 1 ] || { sed -n '2,3s/^# \{0,1\}//p' "$0" >&2; exit 2; }
awk -F '\t' '
NR == 1 { next }
{
	row = sprintf("%-10s %-8s %-11s", $1, $2, $4)
	if (!(row in known)) { known[row]; rows[++n] = row }
	cell[row, $3] = $6 == "exact" ? "exact" : toupper($6)
	if ($6 != "exact") notes[++m] = $1 " (" $5 ") go" $2 " " $3 " " $4 ": " $6 ": " $8
	count[$6]++
}
END {
	printf "%-10s %-8s %-11s %-8s %-8s %-8s %-8s\n", "kernel", "go", "probe", "normal", "stripped", "pie", "cgo"
	for (i = 1; i <= n; i++) {
		line = rows[i]
		for (k = split("normal stripped pie cgo", b, " "); k >= 1; k--) out[k] = (rows[i], b[k]) in cell ? cell[rows[i], b[k]] : "-"
		printf "%s %-8s %-8s %-8s %s\n", line, out[1], out[2], out[3], out[4]
	}
	printf "\n%d exact, %d refused, %d wrong, %d crash\n", count["exact"], count["refused"], count["wrong"], count["crash"]
	for (i = 1; i <= m; i++) print notes[i]
}' "$1"
echo "cells by the sources that measured them (cells.tsv): $(tail -n +2 "$1" | cut -f 9 | sed 's/^$/older/' | sort |
	uniq -c | awk '{ printf "%s%s %d", n++ ? ", " : "", $2, $1 }')"
