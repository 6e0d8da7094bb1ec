# raw.csv of measure_rounds -> lines for experiments/stats: GROUP...,WHAT,VARIANT,ROUND,VALUE, for each of `values` (blanks between
# them; none: all), which are columns or COLUMN/COLUMN. Round 0 is left out, and what has no value.
BEGIN { FS = OFS = ","; n = split(values, what, " ") }
NR == 1 {
	for (i = 1; i <= NF; i++) col[$i] = i
	before = col["round"] - 1
	if (!n) for (i = col["variant"] + 1; i <= NF; i++) what[++n] = $i
	for (i = 1; i <= n; i++) {
		parts = split(what[i], part, "/")
		if (!(part[1] in col) || (parts == 2 && !(part[2] in col))) {
			print "lines.awk: raw.csv has no " what[i] >"/dev/stderr"
			exit 1
		}
		over[i] = col[part[1]]
		under[i] = parts == 2 ? col[part[2]] : 0
	}
	next
}
$col["discarded"] == 1 { next }
{
	group = ""
	for (i = 1; i <= before; i++) group = group $i ","
	for (i = 1; i <= n; i++) {
		if ($over[i] == "" || (under[i] && !$under[i])) continue
		print group what[i], $col["variant"], $col["round"], under[i] ? sprintf("%.9g", $over[i] / $under[i]) : $over[i]
	}
}
