#!/bin/sh
# Compares two cells.tsv; names each cell that got worse, or is of fewer programs, with the
# command that measures it again, one that is gone, and a new one that is wrong, crashes or is
# refused for another reason than want of a layout. Status 1 when there is one.
[ $# = 2 ] || { sed -n '2,4s/^# \{0,1\}//p' "$0" >&2; exit 2; }
awk -F '\t' '
BEGIN { rank["exact"] = 1; rank["refused"] = 2; rank["wrong"] = 3; rank["crash"] = 4 }
$1 == "kernel" { next }
first { before[$1, $2, $3, $4] = $6; programs[$1, $2, $3, $4] = $7; next }
{
	there[$1, $2, $3, $4]
	was = ($1, $2, $3, $4) in before ? before[$1, $2, $3, $4] : "new"
	rank["new"] = $3 == "stripped" && index($8, "ci/go-layout.sh") ? 2 : 1
	why = $8
	if (was == "exact" && $6 == was && $7 < programs[$1, $2, $3, $4])
		why = "fewer programs, " $7 " instead of " programs[$1, $2, $3, $4]
	else if ($6 in rank && rank[$6] <= rank[was])
		next
	bad = 1
	printf "worse: %s, was %s: %s\n  %smake regress AGAIN=1 KERNEL=%s GO=%s BUILD=%s PROBE=%s\n", $6, was, why,
		$1 == "running" ? "sudo " : "", $1, $2, $3, $4
}
END {
	for (cell in before) if (!(cell in there)) {
		bad = 1
		split(cell, f, SUBSEP)
		printf "gone: %s go%s %s %s, was %s\n", f[1], f[2], f[3], f[4], before[cell]
	}
	exit bad
}' first=1 "$1" first=0 "$2"
