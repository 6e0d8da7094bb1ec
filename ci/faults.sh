#!/bin/bash
# Fault injection: each allocation and each system call of report, export, info, dump, diff and plan is made to fail once
# (ci/faults/faults.py says what is judged), and some of record, whose program must not be harmed.
#
#   ci/faults.sh [MOST]     MOST: faults of a kind that are tried of one command (40); 0: every one
#
# FAULTS_SAN=1: by $O/san/gotrace-faults, which looks for leaks, too; not record.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh
most=${1:-40}
O=${O:-build}
gotrace=$O/gotrace
[ -z "${FAULTS_SAN:-}" ] || gotrace=$O/san/gotrace-faults
work=$O/faults
mkdir -p "$work"
cc=${CC:-gcc}
if ! "$cc" -O2 -Wall -Wextra -Werror -shared -fPIC -o "$work/alloc.so" ci/faults/alloc.c -ldl ||
	! "$cc" -O2 -Wall -Wextra -Werror -o "$work/call" ci/faults/call.c; then
	not_ok "what makes calls fail cannot be built"
	totals
	exit
fi
if [ ! -x "$work/programs/default/ticker" ] &&
	! fixtures/programs/build.sh "$work/programs" plain ticker >"$work/build.log" 2>&1; then
	not_ok "the programs cannot be built" "$work/build.log"
	totals
	exit
fi
for what in read record; do
	[ $what = read ] || [ -z "${FAULTS_SAN:-}" ] || continue
	if [ $what = record ] && [ "$(id -u)" != 0 ]; then
		skip "faults of record" "not root"
		continue
	fi
	ci/faults/faults.py "$gotrace" fixtures/traces/plain.emulated.gotrace fixtures/traces/plain.thesis.gotrace \
		"$work/programs/noinline" "$work/alloc.so" "$work/call" "$most" $what >"$work/log" 2>&1
	add_script "$work/log" $?
	cat "$work/log"
done
totals
