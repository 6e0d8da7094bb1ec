#!/bin/bash
# Kills gotrace at random moments, and before its own system calls in each phase of a recording, in every way of probing,
# launched and attached. The program it traces must end as if nothing had been, with its whole output; the trace must be
# readable, the one before untouched, and a run afterwards exact. Then processes that end, execute or give their number away
# at each moment while gotrace attaches to them, programs with damaged binaries, and stores, perf maps and debug files that somebody
# else has damaged. Run as root.
#
#   ci/torture.sh        KILLS=40: how many of each kind, MUTANTS=120: damaged binaries, FOREIGN=40: damaged files of others, SEED=1: of
#                      the moments
#
# TORTURE_GO="1.19.13 newest": those in phases with programs built by each of these Go versions, not by the installed one.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
KILLS=${KILLS:-40}
RANDOM=${SEED:-1}
# shellcheck source=totals.sh
. "$here/totals.sh"
[ -x "$GOTRACE" ] && [ "$(id -u)" = 0 ] || { skip torture "needs root and $GOTRACE"; totals; exit; }
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
folder=$(mktemp -d /tmp/gotrace-torture.XXXXXX) || exit 1
trap 'rm -rf "$folder"' EXIT
"$top/fixtures/programs/build.sh" "$folder/programs" ticker plain turns busy >"$folder/build.log" 2>&1 ||
	{ cat "$folder/build.log"; not_ok "the programs to trace cannot be built"; totals; exit; }
cd "$folder" || exit 1
ticker=$folder/programs/default/ticker plain=$folder/programs/noinline/plain

# wait_for_line PATTERN FILE: at most 30 minutes, for a line that does come
wait_for_line() {
	for _ in $(seq 18000); do
		grep -q "$1" "$2" && return
		sleep 0.1
	done
	return 1
}

# survive STRATEGY HOW MS: one kill. Says what is wrong, nothing else.
survive() {
	local target='' job
	: >out
	cp good trace
	if [ "$2" = attached ]; then
		"$ticker" 2s >out &
		target=$!
		wait_for_line ready out || { echo "the program does not begin"; return; }
		"$GOTRACE" record -o trace --probe="$1" --pid "$target" >/dev/null 2>err &
	else
		"$GOTRACE" record -o trace --probe="$1" -- "$ticker" 2s >out 2>err &
	fi
	job=$!
	sleep "$(printf '%d.%03d' $(($3 / 1000)) $(($3 % 1000)))"
	kill -KILL $job 2>/dev/null
	wait $job 2>/dev/null
	if [ -n "$target" ]; then
		wait "$target" || echo "the program ended with status $?"
	elif [ -s out ]; then
		wait_for_line '^count main.tick ' out || echo "the program's output is cut off"
	fi
	"$GOTRACE" report trace >text 2>&1 || echo "the trace cannot be read: $(tail -n 1 text)"
	if ! "$GOTRACE" info trace | grep '^complete *yes' >seen && grep -q '^no event was lost' text; then
		echo "a trace without its end claims that nothing was lost"
	fi
	[ ! -e trace.old ] || cmp -s trace.old good || echo "the older trace is another"
	rm -f trace trace.old
}

"$GOTRACE" record -o good -- "$plain" >/dev/null 2>&1 || { not_ok "no trace can be recorded"; totals; exit; }
# shellcheck disable=SC2034 # both are used by name
launched=$(sed -n 's/^\([a-z][^ ]*\) --probe=\1\( .*\)\{0,1\}$/\1/p' "$here/regress/probes")
# shellcheck disable=SC2034
attached=$(sed -n '/# launched/!s/^\([a-z][^ ]*\) --probe=\1\( .*\)\{0,1\}$/\1/p' "$here/regress/probes")
declare -A done=() # attempts by way of probing and of starting
kills=()
while [ ${#kills[@]} -lt "$KILLS" ]; do
	for how in launched attached; do
		for strategy in ${!how}; do
			[ ${#kills[@]} -lt "$KILLS" ] || break 2
			kills+=("$strategy $how $((RANDOM % 2200))")
			done["$strategy, $how"]=$((${done["$strategy, $how"]:-0} + 1))
		done
	done
done
# Side by side, since they wait most of their time; each with a program of its own: a probe is in a file, for all who execute it.
side=$((4 * $(nproc))) sides=()
# some_kills N: every of them that is N modulo $side. Says what is wrong.
some_kills() {
	local k strategy how ms said ticker=$PWD/ticker
	for ((k = $1; k < ${#kills[@]}; k += side)); do
		read -r strategy how ms <<<"${kills[k]}"
		said=$(survive "$strategy" "$how" "$ms")
		[ -z "$said" ] || echo "kill after $ms ms, $strategy, $how: ${said//$'\n'/; }"
	done
}
for ((n = 0; n < side; n++)); do
	mkdir "side.$n" && cp good "$ticker" "side.$n/" || exit 1
	(cd "side.$n" && some_kills "$n" >wrong) &
	sides+=($!)
done
before=$failed
for job in "${sides[@]}"; do wait "$job" || not_ok "kills at random moments end with status $?"; done
for what in "${!done[@]}"; do
	echo "# ${done[$what]} kills at random moments: $what"
done | sort
while IFS= read -r wrong; do not_ok "$wrong"; done < <(cat side.*/wrong)
[ "$failed" != "$before" ] || ok "${#kills[@]} kills at random moments harmed no program and no trace"
# phase_kills FOLDER WHAT
phase_kills() {
	"$here/faults/kills.py" "$GOTRACE" "$1/default/ticker" "$folder/call" "$KILLS" "${SEED:-1}" >kills.log 2>&1
	local status=$?
	sed -E "s/^((not )?ok - .*)/\1, $2/; /^[0-9]+ passed/d" kills.log
	add_script kills.log $status
}
if ! "${CC:-gcc}" -O2 -Wall -Wextra -Werror -o "$folder/call" "$here/faults/call.c"; then
	not_ok "what kills in phases cannot be built"
elif [ -z "${TORTURE_GO:-}" ]; then
	phase_kills "$folder/programs" "$(go env GOVERSION)"
else
	# shellcheck source=toolchain.sh
	. "$here/toolchain.sh"
	for version in $TORTURE_GO; do
		[ "$version" != newest ] || version=$(newest_go)
		if use_go "$version" && "$top/fixtures/programs/build.sh" "$folder/$version" ticker >build.log 2>&1; then
			phase_kills "$folder/$version" "go$version"
		else
			not_ok "kills in phases, go$version: cannot be built" build.log
		fi
	done
fi
"$here/faults/moments.py" "$GOTRACE" "$folder/programs/pie/turns" "$folder/call" $(((KILLS + 99) / 100)) "${SEED:-1}" >moments.log 2>&1
status=$?
sed '/^[0-9]* passed/d' moments.log
add_script moments.log $status
"$here/faults/mutants.py" "$GOTRACE" "$folder/programs" "${MUTANTS:-$((3 * KILLS))}" "${SEED:-1}" >mutants.log 2>&1
status=$?
sed '/^[0-9]* passed/d' mutants.log
add_script mutants.log $status
"$here/faults/foreign.py" "$GOTRACE" "$folder/programs" "$top/fixtures/native" "${FOREIGN:-$KILLS}" "${SEED:-1}" >foreign.log 2>&1
status=$?
sed '/^[0-9]* passed/d' foreign.log
add_script foreign.log $status
for strategy in $launched; do
	"$GOTRACE" record -o after --probe="$strategy" -- "$plain" >printed 2>err &&
		"$GOTRACE" report after --format=csv >csv && "$top/fixtures/traces/counts.sh" printed csv >differ &&
		ok "a run after all kills is exact, $strategy" || not_ok "a run after all kills is exact, $strategy"
done
totals
