#!/bin/bash
# One cell of the table: samples the programs in a folder of build.sh and compares with what is
# known of them.
#
#   sample-cell.sh FOLDER       $GOTRACE, as root
#
# leafs: the callers 2:1 of one leaf that has no frame (two loops would take other times for a turn
# where one of them is laid out worse); shares: 900 of 1,000 goroutines are seen; preempt: growing
# stacks and preemption. Of each, 99 % of the stacks begin where a goroutine, a thread or the program
# does, or in the scheduler. Shares and roots are estimates: within five standard deviations.
#
# Prints as cell.sh does. A slow machine takes fewer samples a second than it is asked for: a
# program runs longer when they are too few.
set -uo pipefail
[ $# = 1 ] || { sed -n '2,15s/^# \{0,1\}//p' "$0" >&2; exit 2; }
folder=$(cd "$1" && pwd) || exit 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

root='(runtime[.](goexit|mcall|mstart|morestack|rt0_go|clone)|_rt0_amd64(_linux)?|\[scheduler\]'
root+='|_start|__clone3?|clone3?|start_thread)(;|$)'

# count PATTERN: samples of paths that match.
count() { awk -v p="$1" '$2 ~ p { n += $1 } END { print n + 0 }' rows; }
wrong() { result=wrong detail="$*"; }

# A of A + B is 2/3.
twice() { # A B
	awk -v a="$1" -v n="$(($1 + $2))" 'BEGIN { d = a / n - 2 / 3; exit !(d * d < 25 * 2 / 9 / n) }' ||
		wrong "$1 and $2 samples, not 2:1"
}

# sample NAME FREQUENCY ARG...: its paths become rows, "SELF_SAMPLES PATH". False: it did not work.
sample() {
	local got=0
	rm -f trace*
	timeout -k 5 "${CELL_TIMEOUT:-60}" "$GOTRACE" sample -F "$2" -o trace -- "$folder/$1" "${@:3}" >printed 2>err </dev/null || got=$?
	case $got in
	0) ;;
	125) result=refused detail=$(sed 's/^gotrace: //' err | tail -n 1) ;;
	124) result=crash detail="no end" ;;
	*) result=crash detail="status $got: $(tail -n 1 err)" ;;
	esac
	[ $got = 0 ] || return
	timeout -k 5 "${CELL_TIMEOUT:-60}" "$GOTRACE" report trace --by=path --format=csv -n 0 2>>err |
		awk -F, 'NR > 1 && $(NF - 1) > 0 { sub(/^"/, "", $1); print $(NF - 1), $1 }' >rows ||
		{ result=crash detail="report failed: $(tail -n 1 err)"; return 1; }
}

# Each runs longer until there are enough samples.
shares() { # FREQUENCY
	local rounds seen=0
	for rounds in 20 80 320; do
		sample shares "$1" $rounds || return
		[ "$(count 'main[.]deep;main[.](twice|once)$')" -lt 3000 ] || break
	done
	seen=$("$GOTRACE" report trace --by=goroutine --format=csv -n 0 2>>err | grep -c '^goroutine [1-9]')
	[ "$seen" -ge 900 ] || wrong "$seen goroutines of 1000"
}
leafs() { # FREQUENCY
	local seconds a b
	for seconds in 2 8 32; do
		sample leafs "$1" $seconds || return
		a=$(count 'main[.]two;main[.]leaf$') b=$(count 'main[.]one;main[.]leaf$')
		[ $((a + b)) -lt 3000 ] || break
	done
	[ $((a + b)) -ge 1000 ] || { wrong "$((a + b)) samples"; return; }
	twice "$a" "$b"
}
preempt() { sample preempt "$1" 20; } # FREQUENCY

# Samples whose outermost function is a root, by name or by its place in a library without names
# (FOLDER/outermost: FILE FIRST END, addresses of 16 digits); the others become `rootless`.
rooted() {
	cat "$folder/outermost" 2>/dev/null | awk -v root="^$root" '
		tables { n++; file[n] = $1; first[n] = $2; end[n] = $3; next }
		$2 ~ root { sum += $1; next }
		match($2, /^[[][^;+]*[+]0x[0-9a-f]*[]]/) {
			split(substr($2, 2, RLENGTH - 2), at, "[+]0x")
			pc = substr("0000000000000000" at[2], length(at[2]) + 1)
			for (i = 1; i <= n; i++)
				if (at[1] == file[i] && pc >= first[i] && pc < end[i]) { sum += $1; next }
		}
		{ print >"rootless" }
		END { print sum + 0 }' tables=1 - tables=0 rows
}
roots() {
	local all named
	: >rootless
	all=$(count .) named=$(rooted)
	[ "$all" -ge 200 ] || { wrong "$all samples"; return; }
	awk -v a="$named" -v n="$all" 'BEGIN { exit !(a >= 0.99 * n - 5 * sqrt(0.99 * 0.01 * n)) }' ||
		wrong "$named of $all stacks have a root, one that has none: $(sort -rn rootless | head -n 1 | cut -c 1-100)"
}

worst=exact exact=0 said=
while read -r name frequency _; do
	result=exact detail=
	if [ -x "$folder/$name" ]; then
		"$name" "$frequency"
		[ "$result" != exact ] || roots
	else
		result=crash detail='it was not built'
	fi
	case "$result/$worst" in
	exact/*) exact=$((exact + 1)) ;;
	crash/* | wrong/refused | wrong/exact | refused/exact) worst=$result ;;
	esac
	[ "$result" = exact ] || said="${said:+$said; }$name: $detail"
done <"$folder/sampled"
[ "$exact" -gt 0 ] || [ -n "$said" ] || { worst=crash said="$folder holds no program"; }
printf '%s\t%s\t%s\n' "$worst" "$exact" "$(printf %s "$said" | tr '\t\n' '  ' | cut -c 1-300)"
