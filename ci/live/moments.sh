#!/bin/bash
# What may become of a process at each moment while gotrace attaches to it, and who gets its number.
# Tests are called by name, through check.
# shellcheck disable=SC2317 source-path=SCRIPTDIR
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

moments() { # PROBE
	[ "${LIVE_SLOW:-}" != 1 ] || skip "each system call is asked about: too slow in a VM that is emulated"
	command -v python3 >/dev/null || skip "no python3"
	command -v cc >/dev/null || skip "no C compiler"
	cc -O1 -o call "$TOP/ci/faults/call.c"
	local seed=${SEED:-$RANDOM}
	echo "SEED=$seed"
	"$TOP/ci/faults/moments.py" "$GOTRACE" "$LIVE/programs/pie/turns" ./call "${LIVE_MOMENTS:-1}" "$seed" "$1"
}
# ci/torture.sh has all of them on each push.
for probe in inline ${LIVE_ALL:+emulated thesis perf}; do
	check "--pid of a process that ends, executes or gives its number away meanwhile, $probe" moments $probe
done
done_testing
