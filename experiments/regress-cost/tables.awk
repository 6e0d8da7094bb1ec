# summary.csv of an earlier run (or /dev/null), summary.csv -> Markdown: ns of each strategy and Go version, and what has changed.
BEGIN { FS = ","; n_order = split(variants, order, " ") }
FNR == 1 { for (i = 1; i <= NF; i++) col[FILENAME, $i] = i; now = FILENAME; next }
{
	key = FILENAME SUBSEP $col[FILENAME, "go"] SUBSEP $col[FILENAME, "variant"]
	median[key] = $col[FILENAME, "median"]
	low[key] = $col[FILENAME, "low"]
	high[key] = $col[FILENAME, "high"]
	if (!((FILENAME, $1) in seen)) { seen[FILENAME, $1]; gos[FILENAME, ++n_gos[FILENAME]] = $1 }
	if ($col[FILENAME, "rounds"] > rounds[FILENAME]) rounds[FILENAME] = $col[FILENAME, "rounds"]
	files[FILENAME]
}
function ns(key) {
	if (!(key in median)) return "–"
	if (low[key] == "") return sprintf("%.1f", median[key])
	return sprintf("%.1f (%.1f to %.1f)", median[key], low[key], high[key])
}
# Intervals that do not meet are a difference.
function changed(a, b) {
	if (low[a] == "" || low[b] == "") return "few rounds"
	if (low[b] > high[a] + 0) return "dearer"
	if (high[b] < low[a] + 0) return "cheaper"
	return "the same within intervals"
}
END {
	for (f in files) if (f != now) before = f
	print "ns of processor time of the calling thread that a call costs more than an untraced one of the same round, both its events recorded;"
	print "*plain*: what an untraced one costs, *plain-again*: the same once more, less *plain*, which is the noise. Medians of"
	print rounds[now] (rounds[now] == 1 ? " round" : " rounds") (rounds[now] < 5 ? "" : " with bootstrap 95 % intervals") ", after one that is discarded."
	line = "\n| Go | plain | plain-again |"
	below = "|---|--:|--:|"
	for (v = 2; v <= n_order; v++) { line = line " " order[v] " |"; below = below "--:|" }
	print line "\n" below
	for (g = 1; g <= n_gos[now]; g++) {
		go = gos[now, g]
		line = "| " go " | " ns(now SUBSEP go SUBSEP "plain") " | " ns(now SUBSEP go SUBSEP "plain-again") " |"
		for (v = 2; v <= n_order; v++) line = line " " ns(now SUBSEP go SUBSEP order[v]) " |"
		print line
	}
	if (before == "") {
		print "\nThere is no earlier run to compare with."
		exit
	}
	print "\n## Against " earlier "\n"
	print "| Go | strategy | earlier ns | now ns | times | |"
	print "|---|---|--:|--:|--:|---|"
	for (g = 1; g <= n_gos[now]; g++)
		for (v = 1; v <= n_order; v++) {
			a = before SUBSEP gos[now, g] SUBSEP order[v]
			b = now SUBSEP gos[now, g] SUBSEP order[v]
			if (!(a in median) || !(b in median)) continue
			print "| " gos[now, g] " | " order[v] " | " ns(a) " | " ns(b) " | " \
				(median[a] > 0 ? sprintf("%.2f", median[b] / median[a]) : "–") " | " changed(a, b) " |"
		}
}
