# What a program printed about itself against what a tool reported of it.
#
#   awk -v situation= -v program= -v tool= -v repetition= -v raw=RAW.csv -v cells=CELLS.csv -v target=TEXT \
#       -v refusal=TEXT -f score.awk PRINTED kind=refused REFUSED kind=reported REPORTED
#
# Appends a row a function to RAW and one to CELLS: exact, or wrong and how. target: what the program itself did wrong under
# the tool, or nothing. A function that the program calls optional is left out. One that the tool said it cannot trace
# (REFUSED, a line each; refusal says why) is not compared: where all others are right, the cell is refused.
kind == "" {
	if ($1 ~ /^(count|unwound|unfinished)$/ && NF >= 3) {
		name = $0
		sub(/^[a-z]+ /, "", name)
		sub(/ [0-9]+$/, "", name)
		want[$1, name] = $NF
		if ($1 == "count") { order[++n] = name; known[name] }
	}
	if ($1 == "optional") optional[$2]
	next
}
kind == "refused" {
	refused[$0]
	next
}
{
	split($0, f, "\t")
	got[f[1]]
	for (i = 2; i <= 8; i++) {
		value[f[1], i] = f[i]
		if (f[i] != "-") tells[i]
	}
	if (!(f[1] in known) && !(f[1] in optional)) invented += f[2]
}
END {
	for (i = 1; i <= n; i++) score(order[i])
	how = target
	if (calls_missing) add(calls_missing " of " calls_all " calls missing")
	if (calls_extra) add(calls_extra " calls too many of " calls_all)
	if (invented) add(invented " calls of functions that were not called")
	if (returns_missing) add(returns_missing " of " returns_all " returns missing")
	if (returns_extra) add(returns_extra " returns too many of " returns_all)
	if (durations_missing) add(durations_missing " of " returns_all " durations missing")
	if (foreign) add(foreign " durations from one call's entry to another's exit")
	if (ends_wrong) add(ends_wrong " unwound or unfinished calls wrong")
	if (suspect) add(suspect " calls suspect")
	if (!n) how = "the program printed nothing"
	verdict = how != "" ? "wrong" : unset ? "refused" : "exact"
	if (unset) add(unset " of " n " functions refused (" refusal ")" (verdict == "refused" ? ", the others exact" : ""))
	gsub(/[",]/, ";", how) # summary.awk splits at commas
	printf "\"%s\",%s,%s,%d,%s,\"%s\"\n", situation, program, tool, repetition, verdict, how >>cells
}
function add(text) { how = how (how == "" ? "" : "; ") text }
function more(a, b) { return a > b ? a - b : 0 }
function score(name,   c, r, quoted, i) {
	c = want["count", name] + 0
	r = c - want["unwound", name] - want["unfinished", name]
	quoted = name ~ /[,"]/ ? "\"" name "\"" : name
	printf "\"%s\",%s,%s,%d,%s,%d,%d,%d,%d", situation, program, tool, repetition, quoted, c, r,
		want["unwound", name], want["unfinished", name] >>raw
	for (i = 2; i <= 8; i++)
		printf ",%s", i in tells ? value[name, i] + 0 : "" >>raw
	printf ",%d\n", name in refused >>raw
	if (name in refused) {
		unset++
		return
	}
	calls_all += c
	returns_all += r
	calls_missing += more(c, value[name, 2] + 0)
	calls_extra += more(value[name, 2] + 0, c)
	returns_missing += more(r, value[name, 3] + 0)
	returns_extra += more(value[name, 3] + 0, r)
	if (4 in tells) durations_missing += more(r, value[name, 4] + 0)
	foreign += value[name, 5]
	if (6 in tells) {
		ends_wrong += apart(value[name, 6], want["unwound", name]) + apart(value[name, 7], want["unfinished", name])
		suspect += value[name, 8]
	}
}
function apart(a, b) { return more(a + 0, b + 0) + more(b + 0, a + 0) }
