# Totals of tests, for every script that runs some; sourced.
#
# A test is a line `ok - NAME`, `not ok - NAME` or `ok - NAME # SKIP REASON`; the last line of a script is
# "N passed, N failed, N skipped", its status 1 when one failed or there was none.
# shellcheck shell=sh
passed=0 failed=0 skipped=0

ok() { # NAME
	echo "ok - $1"
	passed=$((passed + 1))
}

not_ok() { # NAME [LOG]: the end of a log says why
	echo "not ok - $1"
	[ -z "${2:-}" ] || tail -n 60 "$2" | sed 's/^/#   /'
	failed=$((failed + 1))
}

skip() { # NAME REASON
	echo "ok - $1 # SKIP $2"
	skipped=$((skipped + 1))
}

# try NAME COMMAND...: one test, passed when the command ends with 0; what it prints is shown when it does not.
try() {
	totals_name=$1 totals_log=$(mktemp) || exit 1
	shift
	if ("$@") >"$totals_log" 2>&1; then ok "$totals_name"; else not_ok "$totals_name" "$totals_log"; fi
	rm -f "$totals_log"
}

add() { # PASSED FAILED SKIPPED
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# closing_lines LOG: "PASSED FAILED SKIPPED" of each closing line in it.
closing_lines() {
	sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.\{0,1\}$/\1 \2 \3/p' "$1"
}

# add_script LOG STATUS: adds the totals of a script that has ended. One that failed counts as one failure
# at least; one without a closing line is a test itself.
add_script() {
	# shellcheck disable=SC2046 # three numbers, or none
	set -- "$2" $(closing_lines "$1" | tail -n 1)
	[ $# = 4 ] || set -- "$1" "$([ "$1" = 0 ] && echo 1 || echo 0)" 0 0
	if [ "$1" != 0 ] && [ "$3" = 0 ]; then add "$2" 1 "$4"; else add "$2" "$3" "$4"; fi
}

# The last line; returns the status of the script.
totals() {
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ] && [ $((passed + skipped)) -gt 0 ]
}
