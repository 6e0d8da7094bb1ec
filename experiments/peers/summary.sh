#!/bin/sh
# Prints the table of a run, as Markdown, from its answers.csv.
#   experiments/peers/summary.sh RESULTS/RUN-ID
set -eu
if [ $# != 1 ] || [ ! -f "$1/answers.csv" ]; then
	echo "usage: summary.sh FOLDER-WITH-answers.csv" >&2
	exit 2
fi
if ! grep -q '^load_at_end: ' "$1/environment.txt"; then
	echo "summary.sh: $1 is of a run that has not ended" >&2
	exit 1
fi
awk -F, '
	BEGIN {
		heading["gotrace"] = "gotrace, default"
		heading["uftrace"] = "uftrace (C)"
		heading["delve"] = "Delve"
		heading["exectrace"] = "execution trace, regions written in"
		heading["cpuprofile"] = "CPU profile"
	}
	NR > 1 {
		if (!(($2, $1) in asked)) typed[$2, $1] = $4
		asked[$2, $1]++
		times[$2, $1, $5]++
		if (!($2 in row)) { row[$2]; question[++rows] = $2 }
		if (!($1 in column)) { column[$1]; tool[++columns] = $1 }
	}
	function cell(q, t,   i, text, n) {
		if (times[q, t, "none"]) return "cannot be asked"
		if (times[q, t, "not run"]) return "not run"
		for (i = 1; i <= 3; i++) {
			n = times[q, t, word[i]]
			if (n) text = text ", " (n == asked[q, t] ? "" : n " of " asked[q, t] " ") word[i]
		}
		return typed[q, t] text
	}
	END {
		split("right,part,wrong", word, ",")
		print "# Five questions\n"
		print "Characters to type, and the answer. uftrace is asked about the same program in C, compiled for it with `-pg`; the execution trace"
		print "about a program into which regions are written, the CPU profile about one that starts it.\n"
		line = "| question |"
		rule = "|---|"
		for (c = 1; c <= columns; c++) {
			line = line " " (tool[c] in heading ? heading[tool[c]] : tool[c]) " |"
			rule = rule "---|"
		}
		print line
		print rule
		for (r = 1; r <= rows; r++) {
			line = "| " question[r] " |"
			for (c = 1; c <= columns; c++) line = line " " cell(question[r], tool[c]) " |"
			print line
		}
		line = "| **always right** |"
		for (c = 1; c <= columns; c++) {
			right = 0
			for (r = 1; r <= rows; r++) right += times[question[r], tool[c], "right"] == asked[question[r], tool[c]]
			line = line " " right " of " rows " |"
		}
		print line
	}' "$1/answers.csv"
