#!/bin/sh
# Random executions of known truth through the pairing engine, ten million of each of the tests
# given, on all processors. Prints the seeds; a failure prints its event list and the seed to repeat it.
#   ci/soak.sh TEST...      RUNS=10000000 executions, from SEED=1000000 on
set -u
[ $# -gt 0 ] || { echo "usage: $0 TEST..." >&2; exit 2; }
runs=${RUNS:-10000000} seed=${SEED:-1000000} jobs=$(nproc)
logs=$(mktemp -d) || exit 1
trap 'rm -rf "$logs"' EXIT
share=$(((runs + jobs - 1) / jobs))
start=$(date +%s)
failed=0
for test in "$@"; do
	echo "== ${test##*/}: $runs executions, seeds $seed to $((seed + share * jobs - 1))"
	pids=
	for job in $(seq 0 $((jobs - 1))); do
		GOTRACE_RANDOM_RUNS=$share GOTRACE_RANDOM_SEED=$((seed + job * share)) "$test" >"$logs/$job" 2>&1 &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || failed=$((failed + 1))
	done
	cat "$logs"/*
done
echo "soak: $failed of $(($# * jobs)) runs failed, $(($(date +%s) - start)) s"
[ "$failed" = 0 ]
