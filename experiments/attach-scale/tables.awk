# summary.csv -> Markdown: a line for each number of probes and way of attaching.
BEGIN { FS = ","; n_variants = split("thesis thesis-again thesis-links emulated inline", order, " ") }
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{
	if (!($1 in seen)) cases[++n_cases] = $1
	seen[$1]
	key = $1 SUBSEP $2 SUBSEP $3
	median[key] = $col["median"]
	low[key] = $col["low"]
	high[key] = $col["high"]
	if ($col["rounds"] > rounds) rounds = $col["rounds"]
}
# The median, with its interval where there is one.
function seconds(c, what, v,   key) {
	key = c SUBSEP what SUBSEP v
	if (!(key in median)) return "–"
	if (low[key] == "") return sprintf("%.4f", median[key])
	return sprintf("%.4f (%.4f to %.4f)", median[key], low[key], high[key])
}
END {
	print "# Attaching 10 to 50,000 probes\n"
	print "Medians of " rounds " rounds with bootstrap 95 % intervals, after one round that is discarded. *Attach* and *detach* are the"
	print "probes alone, *whole* is the command from start to end, with the analysis of a binary of 30,555 functions and a program that"
	print "calls each of them once. *thesis* probes entries, RETs and calls of runtime.morestack with one link each for all of a kind,"
	print "*thesis-links* with a link a site. *thesis-again* is *thesis* once more: what differs there is noise. *Released* is how long the"
	print "kernel takes after the command has ended; the next run begins after that."
	if (rounds < 5) print "\n**Fewer than five rounds: a trial, not a result.**"
	print "\n| probes asked for | way | sites | attach s | detach s | whole s | released s |"
	print "|--:|---|--:|--:|--:|--:|--:|"
	for (i = 1; i <= n_cases; i++)
		for (v = 1; v <= n_variants; v++) {
			if (!((cases[i] SUBSEP "sites" SUBSEP order[v]) in median)) continue
			print "| " cases[i] " | " order[v] " | " median[cases[i] SUBSEP "sites" SUBSEP order[v]] " | " \
				seconds(cases[i], "attach_s", order[v]) " | " seconds(cases[i], "detach_s", order[v]) " | " \
				seconds(cases[i], "end_to_end_s", order[v]) " | " seconds(cases[i], "released_s", order[v]) " |"
		}
	print "\nThe BPF programs are loaded before: one for each kind of site, however many sites there are. The thesis loaded a program for"
	print "each site, too (291 for 78 functions of ants)."
}
