#!/bin/bash
# One cell of the table: traces every program in a folder of build.sh and compares
# counts and exit statuses with the programs' own.
#
#   cell.sh FOLDER PROBE       PROBE: a name in ci/regress/probes; $GOTRACE, as root
#
# Prints RESULT, how many programs were exact, and what was wrong, with tabs
# between. RESULT: exact, refused (by gotrace, before the program ran), wrong
# (counts) or crash (another exit status, a signal, no end); the worst counts.
# A run of which the trace itself says that events were lost is repeated, twice
# at most, and that is said; what is lost in silence is wrong at once.
set -uo pipefail
unset SUDO_UID SUDO_GID # traces are written to a folder of root's own, whoever called sudo
[ $# = 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd) || exit 2
read -r -a options < <(sed -n "s/ *#.*//; s/^$2 //p" "$here/probes")
[ "${#options[@]}" -gt 0 ] || { echo "cell.sh: no way of probing is called '$2'" >&2; exit 2; }
[ "$2" != sample ] || exec "$here/sample-cell.sh" "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# F[int] and F[string] become F[...], in what was printed, the report and the symbols.
add_instances() { # SYMBOLS
	sed 's/\[go\.shape[^]]*\]\+/[...]/' "$1" >symbols
	awk '{ n = $NF; sub(/ [0-9]+$/, ""); sub(/\[go\.shape[^]]*\]+/, "[...]") }
		/^(count|unfinished|unwound|optional) / { if (!($0 in sum)) order[++k] = $0; sum[$0] += n; next }
		{ print $0 (n ~ /^[0-9]+$/ ? " " n : "") }
		END { for (i = 1; i <= k; i++) print order[i], sum[order[i]] }' printed >added && mv added printed
	sed 's/^"\{0,1\}\([^",]*\)\[go\.shape[^]]*\]\+\([^",]*\)"\{0,1\},/\1[...]\2,/' csv |
		awk -F, -v OFS=, '!($1 in row) { order[++k] = $1; row[$1] = $0; split($0, first); next }
			{ m = split(row[$1], f); for (i = 2; i <= m; i++) f[i] += $i
				line = $1; for (i = 2; i <= m; i++) line = line OFS f[i]; row[$1] = line }
			END { for (i = 1; i <= k; i++) print row[order[i]] }' >added && mv added csv
}

# Events that the last trace says it has not: rings that were full, hits whose g could not be
# read because the kernel was just moving its page.
said_lost() {
	"$GOTRACE" info trace 2>/dev/null |
		awk '$1 == "end.lost_events" || $1 == "end.dropped_fault" { n += $2 } END { print n + 0 }'
}

# Sets result and detail of one program.
trace() { # NAME STATUS
	local try lost
	again=
	for try in 1 2 3; do
		trace_once "$@"
		[ "$result" = wrong ] && [ "$try" -lt 3 ] || return 0
		lost=$(said_lost)
		[ "$lost" -gt 0 ] || return 0
		again+="${again:+, }$lost of its events said to be lost: again"
	done
}
trace_once() { # NAME STATUS
	local got=0
	rm -f trace*
	timeout -k 5 "${CELL_TIMEOUT:-60}" "$GOTRACE" record -o trace --max-cost=off "${options[@]}" -- "$folder/$1" \
		>printed 2>err </dev/null || got=$?
	if [ "$got" = 124 ] || { [ "$got" = 137 ] && [ "$2" != 137 ]; }; then
		result=crash detail="no end"
	elif [ "$got" = "$2" ]; then
		timeout -k 5 "${CELL_TIMEOUT:-60}" "$GOTRACE" report trace --by=function --format=csv >csv 2>>err || {
			result=crash detail="report failed: $(tail -n 1 err)"
			return
		}
		result=exact
		local symbols=$folder/$1.nm
		if [ -e "$folder/instances" ]; then
			add_instances "$symbols"
			symbols=symbols
		fi
		"$here/../../fixtures/traces/counts.sh" printed csv "$symbols" >differ || result=wrong
		detail=$(head -n 1 differ)
		# Another strategy's exact counts are no evidence for this one. A program that executes itself anew
		# is not patched where the kernel does not tell of it, which is no matter of Go version or build.
		if [ "$result" = exact ] && detail=$(grep ' is not used: ' err | grep -v -m 1 'can execute itself anew'); then
			result=refused detail=${detail#gotrace: }
		fi
	elif [ "$got" = 125 ]; then
		result=refused detail=$(sed 's/^gotrace: //' err | tail -n 1)
	else
		result=crash detail="status $got, not $2: $(tail -n 1 err)"
	fi
}

worst=exact exact=0 said=
while read -r name status _; do
	if [ -x "$folder/$name" ]; then
		trace "$name" "$status"
	else
		result=crash detail='it was not built' again=
	fi
	case "$result/$worst" in
	exact/*) exact=$((exact + 1)) ;;
	crash/* | wrong/refused | wrong/exact | refused/exact) worst=$result ;;
	esac
	[ "$result" = exact ] || said="${said:+$said; }$name: $detail"
	[ -z "$again" ] || said="${said:+$said; }$name: $again"
done <"$folder/programs"
[ "$exact" -gt 0 ] || [ -n "$said" ] || { worst=crash said="$folder holds no program"; }
printf '%s\t%s\t%s\n' "$worst" "$exact" "$(printf %s "$said" | tr '\t\n' '  ' | cut -c 1-300)"
