#!/bin/bash
# Runs every experiment that the Makefile has, one after the other, each by its target, and goes on after one that fails.
#
#   sudo experiments/all.sh         or: sudo make experiments
#
# EXPERIMENTS=     these only, as their targets are named without experiment-: "overhead page regress-cost"
# WITHOUT=         all but these
# LONG=900         seconds of what can run for hours: constant-memory, long-run (each of its modes), springboard-safety; as
#                  results of their own these take an hour, an hour each and two hours
# MISSING=1        only those that left no complete rows when they were run by this before, made with what makes them now: goes
#                  on with what was stopped
# QUICK=1          a trial of each, on any machine; into build/trial. LONG=30; of overhead greet and ants (WORKLOADS=)
# FORCE=1          measures though the machine is busy or sources are changed; what is forced goes into build/trial, too
# RESULTS_TOP=DIR  instead of results
# TIMEOUT=SECONDS  of an experiment, which then has failed: six hours; with QUICK=1 ten minutes
# QUIET_WAIT=600   seconds to wait until the machine is quiet again, before each
# MAKEFILE=        the Makefile that has them
#
# Prints a line for each, and the totals; what they print themselves is in build/experiments/NAME.log.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
cd "$top" || exit 1
# shellcheck source=../ci/totals.sh
. ci/totals.sh
# shellcheck source=provenance.sh
. experiments/provenance.sh
build=${O:-build} makefile=${MAKEFILE:-Makefile}
long=${LONG:-$([ -n "${QUICK:-}" ] && echo 30 || echo 900)}
limit=${TIMEOUT:-$([ -n "${QUICK:-}" ] && echo 600 || echo 21600)}
results=${RESULTS_TOP:-${QUICK:+$build/trial}}
logs=$build/experiments
mkdir -p "$logs" || exit 1
[ -z "$results" ] || results=$(realpath -m "$results")

# Lines "NAME TARGET FOLDER": of each target the folder in experiments whose script its recipe runs.
targets() {
	awk '
		/^(experiment-[a-z-]+|regress-cost):/ { target = $1; sub(/:.*/, "", target) }
		target != "" && match($0, /experiments\/[a-z-]+\//) {
			name = target
			sub(/^experiment-/, "", name)
			print name, target, substr($0, RSTART + 12, RLENGTH - 13)
			target = ""
		}' "$makefile"
}
chosen() { # NAME
	[[ -z "${EXPERIMENTS:-}" || " $EXPERIMENTS " == *" $1 "* ]] && [[ " ${WITHOUT:-} " != *" $1 "* ]]
}
# The folder of a run that this began, of HEAD's sources and ended; a result, where a result is asked for.
rows_of() { # NAME FOLDER
	local environment commit now sources
	now=$(made_with HEAD "$2") sources=$(sources_of HEAD)
	# What is forced is no result, and is in build/trial.
	for environment in ${FORCE:+"${results:-$build/trial}/$2"/*/environment.txt} "${results:-results}/$2"/*/environment.txt; do
		commit=$(sed -n 's/^commit: //p' "$environment" 2>/dev/null)
		grep -qsx "target: $1" "$environment" && grep -q '^load_at_end: ' "$environment" || continue
		# a commit that has another name by now, or the same in all that counts
		grep -qx "sources: $sources" "$environment" || [ "$(made_with "$commit" "$2")" = "$now" ] || continue
		[ -n "${QUICK:-}${FORCE:-}" ] || ! grep -q '^forced: \|^quick: ' "$environment" || continue
		echo "${environment%/environment.txt}"
	done | tail -n 1
}
# The experiment before was no quiet neighbour. A tenth below what is refused: make itself is work, too.
wait_quiet() {
	local waited=0
	[ -z "${QUICK:-}${FORCE:-}" ] || return 0
	while too_busy "$(awk '{ print $1 + 0.1 }' /proc/loadavg)" && [ $waited -lt "${QUIET_WAIT:-600}" ]; do
		sleep 5
		waited=$((waited + 5))
	done
}
one() { # NAME TARGET FOLDER
	local settings=() log=$logs/$1.log start=$SECONDS status=0
	case $1 in
	constant-memory) settings=("LENGTH=$long") ;;
	long-run) settings=("SECONDS_EACH=$long") ;;
	springboard-safety) settings=("SECONDS=$long") ;;
	overhead) # the thesis's Go; overhead-newest has the newest
		settings=("GO=${GO:-1.22.0}")
		[ -z "${QUICK:-}" ] || settings+=("WORKLOADS=${WORKLOADS:-greet ants}") ;;
	esac
	[ -z "$results" ] || export RESULTS=$results/$3
	export MEASURED_AS=$1
	wait_quiet
	start=$SECONDS
	timeout -k 30 "$limit" make --no-print-directory -f "$makefile" "$2" "${settings[@]}" >"$log" 2>&1 </dev/null || status=$?
	[ $status != 124 ] || echo "stopped after $limit seconds" >>"$log"
	if [ $status = 0 ]; then
		ok "$1, $((SECONDS - start)) s"
	else
		not_ok "$1, $((SECONDS - start)) s ($log)"
		tail -n 3 "$log" | sed 's/^/#   /'
	fi
}

for name in ${EXPERIMENTS:-} ${WITHOUT:-}; do
	targets | grep -q "^$name " || { echo "experiments: there is no experiment '$name'" >&2; exit 2; }
done
while read -r name target folder <&3; do
	chosen "$name" || continue
	rows=$([ -z "${MISSING:-}" ] || rows_of "$name" "$folder")
	if [ -n "$rows" ]; then skip "$name" "$rows has them"
	elif [ "$name" = thesis-original ] && [ -z "${ORIGINAL:-}" ]; then skip "$name" "ORIGINAL= names no clones ($folder/README.md)"
	else one "$name" "$target" "$folder"; fi
done 3< <(targets)
[ -z "$results" ] || echo "results are in $results"
totals
