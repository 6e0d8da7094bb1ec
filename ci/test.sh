#!/bin/sh
# What `make test` runs, each step timed. Live tests need root: with sudo where there is one.
set -u
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0

# step NAME COMMAND...: runs it, adds up its closing line "N passed, N failed, N skipped" if it has one.
step() {
	name=$1; shift
	start=$(date +%s)
	printf '\n== %s\n' "$name"
	"$@" >build/test.log 2>&1
	status=$?
	grep -vE '^  (CC|AR|LINK|BPF) ' build/test.log
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped$/\1 \2 \3/p' build/test.log | tail -n 1)
	if [ -n "$counts" ]; then
		# shellcheck disable=SC2086 # three numbers
		set -- $counts
		passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
		[ "$status" = 0 ] || [ "$2" -gt 0 ] || failed=$((failed + 1))
	elif [ "$status" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
	printf -- '-- %s: %s, %d s\n' "$name" "$([ "$status" = 0 ] && echo ok || echo FAILED)" $(($(date +%s) - start))
}

build() { make --no-print-directory "-j$(nproc)" "$@"; }

mkdir -p build
step 'build' build all
step 'layers' ci/layers.sh
step 'scripts of the regression table' ci/regress/test.sh
step 'build with clang' build clang
step 'unit tests' build unit
step 'unit tests with ASan and UBSan' build SAN=1 unit
step 'recorded traces replayed' env GOTRACE="$PWD/build/gotrace" fixtures/traces/replay.sh
step 'report under valgrind' ci/valgrind.sh
step 'the page in Chromium' ci/page/run.sh
step 'fuzzing, ten seconds each' ci/fuzz.sh 10
if [ "$(id -u)" = 0 ]; then
	step 'live tests' make --no-print-directory live
elif command -v sudo >/dev/null 2>&1; then
	step 'live tests' sudo env "PATH=$PATH" make --no-print-directory NODEPS=1 live
else
	echo 'live tests: skipped, neither root nor sudo'
	skipped=$((skipped + 1))
fi
printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
