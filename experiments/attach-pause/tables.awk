# summary.csv, raw.csv -> Markdown. Behind ratios.awk.
BEGIN {
	FS = ","
	n_variants = split("untraced untraced-again emulated inline", order, " ")
	n_crowds = split("crowd-1000 crowd-10000 crowd-100000", crowd, " ")
}
FILENAME == ARGV[1] { remember(); next }
FNR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{ lost[$1 ", " $col["variant"]] += $col["lost_events"] }
$col["discarded"] || $1 == "nats" { next }
{
	if ($col["pause_ns"] + 0 > most[$1, "pause_ns"] + 0) most[$1, "pause_ns"] = $col["pause_ns"]
	if ($col["put_back_pause_ns"] + 0 > most[$1, "put_back_pause_ns"] + 0) most[$1, "put_back_pause_ns"] = $col["put_back_pause_ns"]
	if ($col["probe"] != $col["variant"]) other[$1]++
}
function key(p, what, v) { return p SUBSEP what SUBSEP v }
END {
	head("A running process gets inline stubs", "untraced")
	for (i = 1; i <= n_crowds; i++) {
		c = crowd[i]
		if (!(key(c, "sites", "inline") in median_of)) continue
		if (!any++) {
			print "\nAll threads stopped, ms: medians, and the longest of the rounds.\n"
			print "| goroutines | sites | jumps in | longest | jumps out | longest | |\n|--:|--:|--:|--:|--:|--:|---|"
		}
		print "| " substr(c, 7) " | " middle(key(c, "sites", "inline"), "%.0f", 1) " | " spread(key(c, "pause_ns", "inline"), "%.1f", 1e-6) " | " \
			sprintf("%.1f", most[c, "pause_ns"] / 1e6) " | " spread(key(c, "put_back_pause_ns", "inline"), "%.1f", 1e-6) " | " \
			sprintf("%.1f", most[c, "put_back_pause_ns"] / 1e6) " | " (other[c] ? "**without stubs in " other[c] " rounds**" : "") " |"
	}
	if (key("nats", "requests_per_s", "untraced") in median_of) {
		print "\nRequests a second through a NATS server, default selection; times the untraced rate of the same round.\n"
		print "| probes | requests a second | times untraced | events |\n|---|--:|--:|--:|"
		for (v = 1; v <= n_variants; v++)
			if (key("nats", "requests_per_s", order[v]) in median_of)
				print "| " order[v] " | " spread(key("nats", "requests_per_s", order[v]), "%.0f", 1) " | " times(key("nats", "requests_per_s", order[v])) " | " \
					(order[v] ~ /^untraced/ ? "" : middle(key("nats", "events", order[v]), "%.0f", 1)) " |"
	}
	tail()
}
