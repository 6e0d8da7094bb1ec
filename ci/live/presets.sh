#!/bin/bash
# Selections for a purpose.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
waits=$LIVE/programs/default/waits

waited() { # PROBE: each wait is a call below the function that waits
	gt record --waits --probe="$1" -o trace -- "$waits" >printed
	gt report trace --by=path --format=csv >paths
	for want in 'main.rest;time.Sleep,5' 'main.receive;runtime.chanrecv1,7' 'main.choose;runtime.selectgo,3' \
		'main.main.func1;runtime.chansend1,10' 'sync.(\*WaitGroup).Wait,1'; do
		grep -q "main.main;$want," paths || { cat paths; fail "not main.main;$want"; }
	done
	gt info trace | grep -q 'select.presets *waits$' || fail "info does not say --waits"
}
check "--waits shows where goroutines wait" waited auto
check "... with emulated probes" waited emulated

composed() {
	gt plan --waits -p main -x 'runtime.*' -F json "$waits" >plan.json
	grep -q '"main.rest"' plan.json || fail "-p main is not selected"
	grep -q '"time.Sleep"' plan.json || fail "--waits is not selected"
	gt record --waits -p main -x 'runtime.*' -o trace -- "$waits" >printed
	[ "$(csv_calls trace runtime.selectgo)" = 0 ] || fail "-x does not leave out what --waits selects"
	[ "$(csv_calls trace time.Sleep)" = 5 ] || fail "no time.Sleep"
}
check "presets add to -p and -f, and -x takes away" composed

driver() {
	gt record --db -p none -o trace -- "$LIVE/programs/$1/driver" >printed 2>err
	[ "$(cat printed)" = 3 ] || fail "$(cat printed) rows"
	for want in 'main.(\*conn).Prepare,1' 'main.(\*stmt).Query,1' 'main.(\*rows).Next,4' 'main.(\*base).Close,1' 'main.drv.Open,1' \
		'database/sql.(\*DB).QueryContext,1' 'database/sql.(\*Rows).Next,4'; do
		gt report trace --format=csv -n 0 | grep -q "^$want," || fail "no $want in $(gt report trace --format=csv -n 0)"
	done
	! gt report trace --format=csv -n 0 | grep -E '^(main\.main|gotrace.example/programs/driver/engine|main\.\(\*stmt\)\.NumInput|database/sql\.[a-z(*]+[^A-Z]*\)\.[a-z])' ||
		fail "that is no entry point"
}
for variant in default stripped; do
	check "--db: the entry points of database/sql and its drivers, $variant" driver $variant
done

nothing() {
	gt plan --db "$waits" >out 2>err
	expect_grep '^gotrace: warning: --db: the binary has none of these functions$' err
}
check "a preset of which the binary has nothing says so" nothing
done_testing
