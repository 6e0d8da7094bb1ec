#!/bin/sh
# What `make test` runs, each step timed. Live tests need root: with sudo where there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=totals.sh
. ci/totals.sh

# step NAME COMMAND...: runs it and adds its totals.
step() {
	name=$1; shift
	start=$(date +%s)
	printf '\n== %s\n' "$name"
	"$@" >build/test.log 2>&1
	status=$?
	grep -vE '^  (CC|AR|LINK|BPF) ' build/test.log
	add_script build/test.log "$status"
	printf -- '-- %s: %s, %d s\n' "$name" "$([ "$status" = 0 ] && echo ok || echo FAILED)" $(($(date +%s) - start))
}

build() { make --no-print-directory "-j$(nproc)" "$@"; }

mkdir -p build
step 'build' build all
step 'layers' ci/layers.sh
step 'format' ci/format.sh
step 'Makefile and scripts' ci/scripts-test.sh
step 'what experiments share' ci/experiments-test.sh
step 'rows in results say what was measured' ci/check-results.sh
step 'documents say what the rows say' ci/check-paper.sh
step 'what documents say wrongly is noticed' ci/paper-test.sh
step 'scripts of the regression table' ci/regress/test.sh
step 'scripts of the VMs' ci/vm/test.sh
step 'build with clang' build clang
step 'unit tests' build unit
step 'unit tests with ASan and UBSan' build SAN=1 unit
step 'recorded traces replayed' env GOTRACE="$PWD/build/gotrace" fixtures/traces/replay.sh
step 'figures show what the report says' ci/check-figures.py build/gotrace paper/figures/greet.gotrace paper/figures/ants.gotrace
step 'report under valgrind' ci/valgrind.sh
step 'the page in Chromium' ci/page/run.sh
step 'fuzzing, ten seconds each' ci/fuzz.sh 10
step 'calls that fail, some of each command' ci/faults.sh 8
few='KILLS=5 MUTANTS=10' # the nightly job has many
if [ "$(id -u)" = 0 ]; then
	# shellcheck disable=SC2086 # two words
	step 'kills and damaged binaries, a few' make --no-print-directory NODEPS=1 torture $few
	step 'live tests' make --no-print-directory live
elif command -v sudo >/dev/null 2>&1; then
	# shellcheck disable=SC2086 # two words
	step 'kills and damaged binaries, a few' sudo env "PATH=$PATH" make --no-print-directory NODEPS=1 torture $few
	step 'live tests' sudo env "PATH=$PATH" make --no-print-directory NODEPS=1 live
else
	skip 'live tests' 'neither root nor sudo'
fi
echo
totals
