# summary.csv, raw.csv -> Markdown: each share beside the truth. Behind ratios.awk.
BEGIN { FS = ","; n_tools = split("gotrace perf go", tool, " ") }
FILENAME == ARGV[1] { remember(); next }
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
$col["discarded"] { next }
function add(quantity, count, count_of, true_share,   group, key) {
	group = $1 SUBSEP $2 SUBSEP quantity
	if (!(group in known)) { known[group]; groups[++n_groups] = group }
	key = group SUBSEP $col["variant"]
	seen[key]
	hits[key] += count; of[key] += count_of; truth[key] += true_share * count_of; plain[key] = true_share
}
{ lost[$1 ", " $2 ", " $col["variant"]] += $col["lost_events"] }
$col["quantity"] != "" {
	add($col["quantity"], $col["hits"], $col["of"], $col["truth"])
	if ($col["root_of"] != "") add("root", $col["root_hits"], $col["root_of"], 1)
}
END {
	print "# Shares by samples\n"
	print "Share over all rounds; median of the rounds with bootstrap 95 % interval; and how far the share is from the truth in standard"
	print "deviations of such a number of samples (chance alone stays below 5). –: no sample of these functions, which have no names then."
	print "There is no ratio and so no A/A: the truth is known. One round before them is discarded."
	if (rounds < 5) print "\n**Fewer than five rounds: a trial, not a result.**"
	print "\n| program | build | tool | quantity | samples | truth | share | rounds | off, deviations |"
	print "|---|---|---|---|--:|--:|--:|---|--:|"
	for (i = 1; i <= n_groups; i++)
		for (t = 1; t <= n_tools; t++) {
			key = groups[i] SUBSEP tool[t]
			if (!(key in seen)) continue
			split(groups[i], p, SUBSEP)
			line = "| " p[1] " | " p[2] " | " tool[t] " | " p[3] " | " sprintf("%.0f", of[key]) " | "
			if (!of[key]) { print line sprintf("%.3f", plain[key]) " | – | – | – |"; continue }
			true_share = truth[key] / of[key]
			share = hits[key] / of[key]
			print line sprintf("%.3f | %.3f", true_share, share) " | " spread(key, "%.3f", 1) " | " (true_share < 1 ? \
				sprintf("%.1f", (share > true_share ? share - true_share : true_share - share) / sqrt(true_share * (1 - true_share) / of[key])) : "") " |"
		}
	tail()
}
