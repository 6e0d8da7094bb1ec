# SPDX-License-Identifier: BSD-2-Clause
# What became of each stopped prologue, from the events of counter.sh:
#
#   awk -f classify.awk SYMBOLS SELECTED EVENTS
#
# SYMBOLS: of go tool nm -size, SELECTED: "ADDRESS SIZE" of each function that would be traced. Prints
# "growth,yield,gc,declined" of all functions, then of those that are selected, then how many stacks shrank.

# A number in hexadecimal; mawk has no strtonum.
function hex(s,   i, n) {
	for (i = 1; i <= length(s); i++) n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
	return n
}
function value(name) { return match($0, " " name "=-?[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) + 0 : 0 }
function from_newstack() { return value("ret") > newstack && value("ret") <= newstack_end }
# Whether a selected function has the address; they are sorted.
function is_selected(pc,   low, high, middle) {
	low = 1; high = selected
	while (low <= high) {
		middle = int((low + high) / 2)
		if (pc <= start[middle]) high = middle - 1
		else if (pc > start[middle] + size[middle]) low = middle + 1
		else return 1
	}
	return 0
}
function finish(thread) {
	if (!(thread in class)) return
	all[class[thread]]++
	if (traced[thread]) own[class[thread]]++
	delete class[thread]
}
function becomes(what) {
	if ((thread in class) && from_newstack()) class[thread] = what
}
FILENAME == ARGV[1] { if ($4 == "runtime.newstack") { newstack = hex($1); newstack_end = newstack + $2 } next }
FILENAME == ARGV[2] { selected++; start[selected] = $1; size[selected] = $2; next }
/^#/ || !match($0, /-[0-9]+ +\[[0-9]+\]/) { next }
{
	thread = substr($0, RSTART + 1, RLENGTH - 1) + 0
	if (!match($0, / [a-z]+: \(0x/)) next
	event = substr($0, RSTART + 1, RLENGTH - 6)
}
event == "newstack" { finish(thread); class[thread] = "declined"; traced[thread] = is_selected(value("pc")) }
event == "copystack" && value("size") > value("hi") - value("lo") { becomes("growth") }
event == "copystack" && value("size") <= value("hi") - value("lo") { shrinks++ }
event == "preempt" || event == "sched" { becomes("yield") }
event == "park" { becomes("gc") }
END {
	for (thread in class) last[++threads] = thread
	for (i = 1; i <= threads; i++) finish(last[i])
	n = split("growth yield gc declined", classes, " ")
	for (i = 1; i <= n; i++) printf "%d,", all[classes[i]]
	for (i = 1; i <= n; i++) printf "%d,", own[classes[i]]
	printf "%d\n", shrinks
}
