# SPDX-License-Identifier: BSD-2-Clause
# summary.csv of `stats compare`, and its values as cells of tables. Of the tables of experiments, before their own program:
#
#   awk -f ../ratios.awk -f tables.awk summary.csv ...
#
# A key is what is in the columns up to variant, joined by SUBSEP.

# To be called for each line of summary.csv; the key, and nothing for the head.
function remember(   i, key) {
	if (FNR == 1) {
		for (i = 1; i <= NF; i++) at[$i] = i
		return ""
	}
	key = $1
	for (i = 2; i <= at["variant"]; i++) key = key SUBSEP $i
	n_of[key] = $at["rounds"]
	median_of[key] = $at["median"]; low_of[key] = $at["low"]; high_of[key] = $at["high"]
	ratio_of[key] = $at["ratio"]; ratio_low_of[key] = $at["ratio_low"]; ratio_high_of[key] = $at["ratio_high"]
	verdict_of[key] = $at["verdict"]
	if ($at["rounds"] + 0 > rounds) rounds = $at["rounds"] + 0
	return key
}
# The median, each number of which is written with format and times factor; of few rounds without interval.
function middle(key, format, factor) { return key in median_of ? sprintf(format, median_of[key] * factor) : "–" }
function spread(key, format, factor) {
	if (!(key in median_of)) return "–"
	if (low_of[key] == "") return middle(key, format, factor)
	return sprintf(format " (" format " to " format ")", median_of[key] * factor, low_of[key] * factor, high_of[key] * factor)
}
# What is said instead of a ratio, or nothing.
function unsaid(key) {
	if (!(key in verdict_of)) return "–"
	if (verdict_of[key] == "base") return "1"
	if (verdict_of[key] == "invalid") return "invalid"
	if (verdict_of[key] == "not measurable" || ratio_of[key] == "") return "not measurable here"
	return ""
}
function remark(key,   v) {
	v = verdict_of[key]
	return v == "within noise" || v == "unchecked" || v == "few rounds" ? ", " v : ""
}
# How many times the base.
function times(key) {
	if (unsaid(key) != "") return unsaid(key)
	if (ratio_low_of[key] == "") return sprintf("%.2f%s", ratio_of[key], remark(key))
	return sprintf("%.2f (%.2f to %.2f)%s", ratio_of[key], ratio_low_of[key], ratio_high_of[key], remark(key))
}
# How many times this the base is.
function times_less(key) {
	if (unsaid(key) != "") return unsaid(key)
	if (ratio_low_of[key] == "") return sprintf("%.1f%s", 1 / ratio_of[key], remark(key))
	return sprintf("%.1f (%.1f to %.1f)%s", 1 / ratio_of[key], 1 / ratio_high_of[key], 1 / ratio_low_of[key], remark(key))
}
# How many per cent more than the base, with as many digits; sign -1: less.
function percent(key, digits, sign,   f, low, high) {
	if (unsaid(key) != "") return unsaid(key) == "1" ? "0" : unsaid(key)
	f = "%+." digits "f"
	if (ratio_low_of[key] == "") return sprintf(f "%s", 100 * sign * (ratio_of[key] - 1), remark(key))
	low = 100 * sign * (ratio_low_of[key] - 1)
	high = 100 * sign * (ratio_high_of[key] - 1)
	return sprintf(f " (" f " to " f ")%s", 100 * sign * (ratio_of[key] - 1), low < high ? low : high, low < high ? high : low, remark(key))
}
# What begins each summary; base is the name of what others are compared with.
function head(title, base) {
	print "# " title "\n"
	print "Medians of " rounds " rounds with bootstrap 95 % intervals, after one round that is discarded. Ratios are of values of the same"
	print "round. *" base "-again* is *" base "* once more (A/A): what differs there is noise. A group in which it does is invalid."
	if (rounds < 5) print "\n**Fewer than five rounds: a trial, not a result.**"
}
# What ends each: events that were lost, by lost[NAME].
function tail(   name, any, n, names, i, j, t) {
	for (name in lost)
		if (lost[name] > 0) names[++n] = name
	if (!n) {
		print "\nNo event was lost."
		return
	}
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && names[j - 1] > names[j]; j--) { t = names[j]; names[j] = names[j - 1]; names[j - 1] = t }
	print "\n**Events were lost: to record all of them would have taken longer.**\n"
	for (i = 1; i <= n; i++) printf "- %s: %.0f\n", names[i], lost[names[i]]
}
