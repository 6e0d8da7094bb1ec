# rows.csv -> Markdown: medians of what a call costs more than the plain one of the same round.
BEGIN { FS = "," }
NR == 1 { next }
{
	key = $2 SUBSEP $3 SUBSEP $4
	if (!(key in n)) order[++keys] = key
	n[key]++
	row[key, n[key]] = $1
	wall[key, n[key]] = $6 / $5
	cpu[key, n[key]] = $7 / $5
	if ($2 == "plain") {
		plain_wall[$1, $3, $4] = $6 / $5
		plain_cpu[$1, $3, $4] = $7 / $5
	}
	lost[key] += $9
}
function median(values, count,    i, j, v) {
	for (i = 2; i <= count; i++) {
		v = values[i]
		for (j = i - 1; j > 0 && values[j] > v; j--) values[j + 1] = values[j]
		values[j + 1] = v
	}
	return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
}
# Added by processor time or by wall time; sets low and high as well.
function added(key, cputime,    part, i, list) {
	split(key, part, SUBSEP)
	for (i = 1; i <= n[key]; i++) {
		list[i] = cputime ? cpu[key, i] : wall[key, i]
		if (part[1] != "plain" && part[1] != "floor")
			list[i] -= cputime ? plain_cpu[row[key, i], part[2], part[3]] : plain_wall[row[key, i], part[2], part[3]]
	}
	result = median(list, n[key])
	low = list[1]
	high = list[n[key]]
	return result
}
function us(ns) { return ns < 1000 ? sprintf("%.1f ns", ns) : sprintf("%.2f us", ns / 1000) }
END {
	for (i = 1; i <= keys; i++) cost[order[i]] = added(order[i], 1)
	print "Processor time that a call costs more than an untraced one, both its events recorded; for `plain` and the"
	print "floor, what one costs. Medians of rounds; in brackets the least and the most; then the same by the clock,"
	print "which on a busy machine holds the time of others.\n"
	print "| probes | function | threads | a call | | by the clock | thesis / this | two empty probes |"
	print "|---|---|--:|--:|---|--:|--:|--:|"
	for (i = 1; i <= keys; i++) {
		key = order[i]
		split(key, part, SUBSEP)
		c = added(key, 1)
		range = sprintf("[%s, %s]", us(low), us(high))
		thesis = cost["thesis" SUBSEP part[2] SUBSEP part[3]]
		floor = part[1] == "springboard-nop" ? "nop5" : part[1] == "springboard-jump" || part[1] == "emulated" ? "jump" : ""
		empty = floor == "" || part[2] != "framed" ? 0 : 2 * cost["floor" SUBSEP floor SUBSEP part[3]]
		printf "| %s | %s | %d | %s | %s | %s | %s | %s |%s\n", part[1], part[2], part[3], us(c), range, us(added(key, 0)),
			thesis && part[1] !~ /^(plain|floor|thesis)$/ ? sprintf("%.1f", thesis / c) : "",
			empty ? sprintf("%.2f times %s", c / empty, us(empty)) : "",
			lost[key] ? " " lost[key] " events lost" : ""
	}
}
