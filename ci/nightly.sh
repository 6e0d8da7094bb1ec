#!/bin/bash
# The long tests, a line each. Run as root on a machine of one's own.
#
#   ci/nightly.sh            all lines that have not passed with these sources
#   ci/nightly.sh LINE...    these, whether or not they have
#   ci/nightly.sh --list     the lines, and what each protects
#   ci/nightly.sh --ages     how old each line is
#
# ci/nightly-last.tsv notes the commit, the date and the last line of each; commit it. A run that was ended goes on with the line
# that it was at. Logs: $O/nightly/LINE.log.
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
last=ci/nightly-last.tsv
tab=$'\t'

lines() {
	local kernel
	cat <<-'LINES'
		random|100,000 random executions and whole bombs under sanitizers|env GOTRACE_RANDOM_RUNS=100000 GOTRACE_TEST_WHOLE=1 make SAN=1 unit
		bombs|whole files that claim much, without sanitizers|env GOTRACE_TEST_WHOLE=1 make unit
		valgrind|every report and export under valgrind|ci/valgrind.sh
		live|every way of probing in every live topic|env LIVE_ALL=1 make live
		signals|every kind of signal at every instruction of all inline stubs|make fuzz-signals
		mutation|tests that notice broken sources|make mutation
		coverage|lines that unit tests execute|make coverage
		torture|500 kills, damaged binaries, two Go versions|make torture KILLS=500 TORTURE_GO=1.19.13\ newest
		faults|every allocation and system call of every command made to fail|make torture-faults MOST=0
		faults-san|leaks after calls that fail|make SAN=1 torture-faults MOST=200
		soak|ten million random executions|make soak
		fuzz|each fuzzer for an hour|make fuzz SECONDS=3600
	LINES
	for kernel in $(ci/vm/kernel.sh --list test-vm); do
		echo "vm-$kernel|unit tests, recorded traces, live tests and an experiment on this kernel|env LIVE_ALL=1 make test-vm KERNEL=$kernel SECONDS_MAX=10800"
	done
	cat <<-'LINES'
		go|live tests with the newest Go|env LIVE_ALL=1 make test-go GO=newest
		fresh|the README's two commands on machines made from nothing|make fresh
		push|everything that a push may leave out|env ALL=1 .ci/run
	LINES
}
# noted LINE FIELD: of ci/nightly-last.tsv
noted() { awk -F "$tab" -v line="$1" -v field="$2" '$1 == line { print $field }' $last 2>/dev/null; }

# same_sources COMMIT: HEAD differs from it in the notes only.
same_sources() { [ -n "$1" ] && git diff --quiet "$1" HEAD -- . ":!$last" 2>/dev/null; }

ages() {
	local line commit days never=
	while IFS='|' read -r line _; do
		commit=$(noted "$line" 2)
		if [ -z "$commit" ]; then
			never="$never${never:+, }$line"
			continue
		fi
		days=$((($(date +%s) - $(date -d "$(noted "$line" 3)" +%s)) / 86400))
		echo "nightly $line: $days days and $(git rev-list --count "${commit%-dirty}..HEAD" 2>/dev/null || echo '?') commits ago, $(noted "$line" 5)"
	done < <(lines)
	[ -z "$never" ] || echo "nightly, never run: $never"
}

# tested: the commit; with -dirty, so that no later run takes it for these sources, where other files than the notes were changed.
tested() {
	local commit
	commit=$(git rev-parse --short=12 HEAD)
	if git diff --quiet HEAD -- . ":!$last"; then echo "$commit"; else echo "$commit-dirty"; fi
}

# run LINE COMMAND: 0 when it passed; notes it in either case.
run() {
	local start=$SECONDS log=$O/nightly/$1.log status result
	mkdir -p "$O/nightly"
	echo "== $1: $2"
	bash -c "$2" >"$log" 2>&1 </dev/null
	status=$?
	result=$(tail -n 1 "$log" | tr '\t' ' ')
	[ $status = 0 ] || result="FAILED, status $status: $result"
	echo "-- $1: $result, $((SECONDS - start)) s"
	{
		printf 'line\tcommit\tdate\tseconds\tresult\n'
		{
			awk -F "$tab" -v line="$1" 'NR > 1 && $1 != line' $last 2>/dev/null
			printf '%s\t%s\t%s\t%d\t%s\n' "$1" "$(tested)" "$(date -u +%Y-%m-%dT%H:%MZ)" $((SECONDS - start)) "$result"
		} | LC_ALL=C sort
	} >"$last.new" && mv "$last.new" $last
	return $status
}

case ${1:-} in
--list) lines | awk -F '|' '{ printf "%-12s %s\n", $1, $2 }'; exit ;;
--ages) ages; exit ;;
-*) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
[ "$(id -u)" = 0 ] || { echo 'nightly.sh: live tests and VMs need root; run: sudo make nightly' >&2; exit 1; }
wanted=" $* " failed=0
for name; do
	lines | grep -q "^$name|" || { echo "nightly.sh: no line is called '$name' (--list names them)" >&2; exit 2; }
done
while IFS='|' read -r line _ command <&3; do
	if [ $# -gt 0 ]; then
		[[ $wanted == *" $line "* ]] || continue
	elif same_sources "$(noted "$line" 2)" && [[ $(noted "$line" 5) != FAILED* ]]; then
		echo "-- $line: passed with these sources"
		continue
	fi
	run "$line" "$command" || failed=1
done 3< <(lines)
exit $failed
