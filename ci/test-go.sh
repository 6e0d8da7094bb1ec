#!/bin/bash
# The live tests of counts with programs built by another Go version, on this
# kernel, and a cell of the regression table for each way of building and probing.
#
#   ci/test-go.sh VERSION      1.22.0; as root, $GOTRACE (build/gotrace), $O (build)
#
# The last line is "N passed, N failed, N skipped"; status 1 when one failed.
set -uo pipefail
[ $# = 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
out=${O:-$top/build}/test-go
export GOTRACE
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
mkdir -p "$out"
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
toolchain=go$1
[ "$(GOTOOLCHAIN=local go env GOVERSION)" != "go$1" ] || toolchain=local
# The traced ants needs the Go that its module asks for.
topics=(counts situations)
only='^counts of|^calls of|wrappers|attached'
GOTOOLCHAIN=$toolchain LIVE_ONLY=$only "$top/ci/live.sh" "${topics[@]}" >"$out/live.log" 2>&1
grep -v '^ok \|^1\.\.' "$out/live.log" | grep -v '^[0-9]* passed'
read -r passed failed skipped < <(awk '/^[0-9]+ passed, / { print $1 + 0, $3 + 0, $5 + 0 }' "$out/live.log" | tail -n 1)
passed=${passed:-0} failed=${failed:-1} skipped=${skipped:-0}
if "$top/ci/go-layout.sh" --check "$1" >"$out/layout.log" 2>&1; then
	echo "ok - the layout table's row is what go$1 says"
	passed=$((passed + 1))
else
	echo "not ok - the layout table's row is what go$1 says"
	sed 's/^/#   /' "$out/layout.log"
	failed=$((failed + 1))
fi
for build in normal stripped pie cgo; do
	if ! "$top/ci/regress/build.sh" "$out/$1/$build" "$1" "$build" >"$out/build.log" 2>&1; then
		echo "not ok - go$1, $build: cannot be built: $(tail -n 1 "$out/build.log")"
		failed=$((failed + 1))
		continue
	fi
	while read -r probe _; do
		line=$("$top/ci/regress/cell.sh" "$out/$1/$build" "$probe")
		if [[ $line == exact$'\t'* ]]; then
			echo "ok - go$1, $build, $probe"
			passed=$((passed + 1))
		else
			echo "not ok - go$1, $build, $probe: $(echo "$line" | tr '\t' ' ')"
			failed=$((failed + 1))
		fi
	done < <(grep -v "^#" "$top/ci/regress/probes")
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
