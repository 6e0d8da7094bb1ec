# "COUNT STACK" of one run, whichever tool took it -> rows "QUANTITY,HITS,OF,TRUTH".
#   -v program=NAME -v tool=NAME -v truth=SHARE (what the program itself found)
function add(quantity, yes) { of[quantity] += $1; if (yes) hits[quantity] += $1 }
{ leaf = $2; sub(/.*;/, "", leaf) }
{ add("root", $2 ~ root) }
BEGIN {
	# where a goroutine or a thread begins, or gotrace's name for the scheduler
	root = "^(runtime[.](goexit|mcall|mstart|morestack|rt0_go|clone)|_rt0_amd64(_linux)?|\\[scheduler\\])(;|$)"
}
program == "shares" && leaf ~ /^main\.(once|twice)$/ { add("function", leaf == "main.twice") }
program == "leafs" && leaf == "main.leaf" { add("caller", $2 ~ /main\.two;main\.leaf$/) }
program == "instep" && $2 ~ /main\.(one|two)(;|$)/ { add("phase", $2 ~ /main\.two(;|$)/) }
program == "cgochurn" && leaf ~ /(churn|outer)/ { add("c_below_go", $2 ~ /main\.caller;/) }
END {
	want["root"] = 1
	want["function"] = want["caller"] = 2 / 3
	want["c_below_go"] = 1
	want["phase"] = truth
	known["shares"] = "function"; known["leafs"] = "caller"; known["instep"] = "phase"; known["cgochurn"] = "c_below_go"
	split(known[program] " root", name, " ")
	# Go's own profile leaves the roots out
	for (i = 1; i <= (tool == "go" ? 1 : 2); i++)
		printf "%s,%d,%d,%.4f\n", name[i], hits[name[i]], of[name[i]], want[name[i]]
}
