# summary.csv of compare_rows -> Markdown: a row for each variant of each group, in the order of `variants`.
#   titles    of the columns of a group and of the variant, "|" between them
#   columns   VALUE|TITLE|DIVISOR|FORMAT, ";" between them: the median, divided, with its interval
#   ratio     the VALUE of which it is said how many times the base's it is; none: no such column
#   trial     what environment.txt says of a trial
BEGIN {
	FS = ","
	n_columns = split(columns, column, ";")
	for (i = 1; i <= n_columns; i++) {
		split(column[i], c, "|")
		value[i] = c[1]; title[i] = c[2]; divisor[i] = c[3]; format[i] = c[4]
	}
	n_titles = split(titles, head, "|")
	n_order = split(variants, order, " ")
}
NR == 1 { for (i = 1; i <= NF; i++) col[$i] = i; next }
{
	group = ""
	for (i = 1; i < n_titles; i++) group = group "| " $i " "
	if (!(group in seen)) groups[++n_groups] = group
	seen[group]
	v = $col["variant"]
	if (!(v in known)) known[v] = 1
	key = group SUBSEP v
	has[key]
	what = $col["what"]
	median[key, what] = $col["median"]; low[key, what] = $col["low"]; high[key, what] = $col["high"]
	times[key, what] = $col["ratio"]; least[key, what] = $col["ratio_low"]; most[key, what] = $col["ratio_high"]
	verdict[key, what] = $col["verdict"]
	if ($col["rounds"] > rounds) rounds = $col["rounds"]
}
function cell(key, i,   k) {
	k = key SUBSEP value[i]
	if (!(k in median)) return "–"
	if (low[k] == "" || low[k] == high[k]) return sprintf(format[i], median[k] / divisor[i])
	return sprintf(format[i] " (" format[i] " to " format[i] ")", median[k] / divisor[i], low[k] / divisor[i], high[k] / divisor[i])
}
function over(key,   k) {
	k = key SUBSEP ratio
	if (!(k in median) || verdict[k] == "base") return ""
	if (verdict[k] == "invalid") return "invalid"
	if (verdict[k] == "not measurable" || times[k] == "") return "not measurable here"
	if (least[k] == "") return sprintf("%.2f (%s)", times[k], verdict[k])
	return sprintf("%.2f (%.2f to %.2f)%s", times[k], least[k], most[k], verdict[k] ~ /^(within noise|unchecked)$/ ? ", " verdict[k] : "")
}
function row(g, v,   i, line) {
	if (!((g, v) in has)) return
	line = g "| " v
	for (i = 1; i <= n_columns; i++) line = line " | " cell(g SUBSEP v, i)
	print line (ratio == "" ? "" : " | " over(g SUBSEP v)) " |"
}
END {
	# What is measured once more stands below what it repeats.
	for (i = 1; i <= n_order; i++) {
		all[++n_all] = order[i]
		if ((order[i] "-again") in known) all[++n_all] = order[i] "-again"
	}
	print (rounds == 1 ? "One round" : "Medians of " rounds " rounds") (rounds < 5 ? "" : " with bootstrap 95 % intervals") \
		", after one that is discarded."
	if (rounds < 5 || trial != "") print "\n**" (rounds < 5 ? "Fewer than five rounds: a" : "A") " trial, not a result.**"
	line = "\n"; below = ""
	for (i = 1; i <= n_titles; i++) { line = line "| " head[i] " "; below = below "|---" }
	for (i = 1; i <= n_columns; i++) { line = line "| " title[i] " "; below = below "|--:" }
	print line (ratio == "" ? "" : "| times ") "|"
	print below (ratio == "" ? "" : "|--:") "|"
	for (i = 1; i <= n_groups; i++)
		for (v = 1; v <= n_all; v++) row(groups[i], all[v])
}
