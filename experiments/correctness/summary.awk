# cells.csv as Markdown tables: how many repetitions of each cell were exact, and then what the others were.
BEGIN {
	FS = ","
	heading["gotrace"] = "gotrace (inline)"
	heading["gotrace_springboard"] = "springboard"
	heading["gotrace_emulated"] = "emulated"
	heading["gotrace_thesis"] = "thesis"
	heading["bpftrace"] = "bpftrace by thread"
	heading["bpftrace_r14"] = "bpftrace by R14"
	heading["bpftrace_uretprobe"] = "bpftrace uretprobe"
	heading["perf"] = "perf uprobes"
	heading["delve"] = "dlv trace"
	heading["delve_ebpf"] = "dlv trace --ebpf"
	heading["exectrace"] = "execution trace"
	heading["cpuprofile"] = "CPU profile"
}
FNR > 1 {
	gsub(/"/, "")
	# Only the last field may hold what separates fields, and it does not.
	if (!($1 in seen)) { seen[$1]; row[++rows] = $1 }
	if (!($3 in column)) { column[$3] = ++columns; tool[columns] = $3 }
	runs[$1, $3]++
	count[$1, $3, $5]++
	if ($5 != "exact") detail($1, $3, $5, $6)
}
# The same words with other numbers are one thing, with the least and the greatest.
function detail(situation, tool, verdict, how,   part, n, i, what, number, key) {
	n = split(how, part, /; /)
	for (i = 1; i <= n; i++) {
		what = part[i]
		number = ""
		if (match(what, /^[0-9]+ /)) {
			number = substr(what, 1, RLENGTH - 1) + 0
			what = substr(what, RLENGTH + 1)
		}
		key = situation SUBSEP tool SUBSEP verdict SUBSEP what
		if (!(key in times)) {
			words[situation, tool, verdict, ++kinds[situation, tool, verdict]] = what
			least[key] = most[key] = number
		}
		times[key]++
		if (number < least[key]) least[key] = number
		if (number > most[key]) most[key] = number
	}
}
function name(t) { return t in heading ? heading[t] : t }
function said(situation, tool, verdict,   i, key, text, number) {
	for (i = 1; i <= kinds[situation, tool, verdict]; i++) {
		key = situation SUBSEP tool SUBSEP verdict SUBSEP words[situation, tool, verdict, i]
		number = least[key] == "" ? "" : least[key] (most[key] == least[key] ? "" : " to " most[key]) " "
		text = text (text == "" ? "" : "; ") number words[situation, tool, verdict, i]
		if (times[key] < count[situation, tool, verdict]) text = text " (in " times[key] ")"
	}
	return text
}
function cell(situation, tool,   i, text, n) {
	n = runs[situation, tool]
	if (!n) return "-"
	if (count[situation, tool, "exact"] == n) text = n " of " n
	else if (!count[situation, tool, "no counts"] && !count[situation, tool, "not run"]) text = count[situation, tool, "exact"] + 0 " of " n
	for (i = 1; i <= verdicts; i++)
		if (count[situation, tool, verdict[i]])
			text = text (text == "" ? "" : ", ") (count[situation, tool, verdict[i]] == n ? "" : count[situation, tool, verdict[i]] " ") verdict[i]
	return text
}
END {
	verdicts = split("wrong,refused,no end,no counts,not run", verdict, ",")
	print "# Repetitions that were exact\n"
	line = "| situation |"
	rule = "|---|"
	for (c = 1; c <= columns; c++) {
		line = line " " name(tool[c]) " |"
		rule = rule "---|"
	}
	print line
	print rule
	for (r = 1; r <= rows; r++) {
		line = "| " row[r] " |"
		for (c = 1; c <= columns; c++) {
			line = line " " cell(row[r], tool[c]) " |"
			if (runs[row[r], tool[c]] && count[row[r], tool[c], "exact"] == runs[row[r], tool[c]]) whole[c]++
		}
		print line
	}
	line = "| **situations always exact** |"
	for (c = 1; c <= columns; c++) line = line " " whole[c] + 0 " of " rows " |"
	print line
	print "\n## What the others were\n"
	print "| tool | situation | repetitions | verdict | how |"
	print "|---|---|--:|---|---|"
	for (c = 1; c <= columns; c++)
		for (r = 1; r <= rows; r++)
			for (i = 1; i <= verdicts; i++)
				if (count[row[r], tool[c], verdict[i]])
					print "| " name(tool[c]) " | " row[r] " | " count[row[r], tool[c], verdict[i]] " | " verdict[i] " | " \
						said(row[r], tool[c], verdict[i]) " |"
}
