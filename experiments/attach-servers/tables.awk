# summary.csv, raw.csv -> Markdown. Behind ratios.awk.
BEGIN { FS = ","; n_variants = split("untraced untraced-again default no-limit emulated sample wall", order, " ") }
FILENAME == ARGV[1] {
	if (remember() != "" && !($1 in known)) { known[$1]; programs[++n_programs] = $1 }
	next
}
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] { next }
{
	k = $1 SUBSEP $col["variant"]
	runs[k]++
	for (i = 1; i <= split("before attach during detach after", phase, " "); i++) errors[k] += $col[phase[i] "_errors"]
	lost[k] += $col["lost_events"]
	released[k] += $col["released"]
	early[k] += $col["reason"] == "cost"
	refused[k] += $col["status"] != 0
	if ($col["pause_ns"] > pause[k]) pause[k] = $col["pause_ns"]
	if ($col["told"] != "") told[k] = $col["told"]
}
function key(program, what, variant) { return program SUBSEP what SUBSEP variant }
END {
	head("Attaching to running servers", "untraced")
	print "\nMedians of rounds, and times untraced, of the phase while gotrace records; *at the attach* is from its start until it does."
	print "Errors are of all phases. Ended early: rounds in which gotrace detached because --max-cost could not be kept.\n"
	print "| server | variant | requests a second | times | p50 us | p99 us | times | p99.9 us | processor time a request us | times | p99 us at the attach | p99 us after | errors | longest pause ms | functions released | ended early | refused |"
	print "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_programs; i++)
		for (v = 1; v <= n_variants; v++) {
			p = programs[i]; o = order[v]; k = p SUBSEP o
			if (!(key(p, "during requests a second", o) in median_of)) continue
			print "| " p " | " o " | " spread(key(p, "during requests a second", o), "%.0f", 1) " | " \
				times(key(p, "during requests a second", o)) " | " middle(key(p, "during p50 us", o), "%.0f", 1) " | " \
				spread(key(p, "during p99 us", o), "%.0f", 1) " | " times(key(p, "during p99 us", o)) " | " \
				middle(key(p, "during p999 us", o), "%.0f", 1) " | " \
				spread(key(p, "processor time a request us", o), "%.0f", 1) " | " times(key(p, "processor time a request us", o)) " | " \
				middle(key(p, "attach p99 us", o), "%.0f", 1) " | " middle(key(p, "after p99 us", o), "%.0f", 1) " | " \
				errors[k] + 0 " | " (o ~ /^(default|no-limit|emulated)$/ ? sprintf("%.1f", pause[k] / 1e6) : "–") " | " \
				released[k] + 0 " | " early[k] + 0 " of " runs[k] " | " refused[k] + 0 " |"
		}
	tail()
	print "\n## What gotrace says of it\n\nThe sentence on overhead of the last round.\n"
	print "| server | variant | processor time a request, times untraced | told |\n|---|---|--:|---|"
	for (i = 1; i <= n_programs; i++)
		for (v = 3; v <= n_variants; v++)
			if ((programs[i] SUBSEP order[v]) in told) {
				gsub(/;/, ",", told[programs[i] SUBSEP order[v]])
				print "| " programs[i] " | " order[v] " | " times(key(programs[i], "processor time a request us", order[v])) " | " told[programs[i] SUBSEP order[v]] " |"
			}
}
