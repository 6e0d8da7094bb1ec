#!/bin/bash
# The live tests with programs built by another Go version, on this kernel, and a
# cell of the regression table for each way of building and probing.
#
#   ci/test-go.sh VERSION      1.22.0, or newest; as root, $GOTRACE (build/gotrace), $O (build)
#
# The last line is "N passed, N failed, N skipped"; status 1 when one failed.
set -uo pipefail
[ $# = 1 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${O:-$top/build}/test-go"
out=$(cd "${O:-$top/build}" && pwd)
live=$out/test-go/live.log log=$out/test-go/log
export GOTRACE
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
# shellcheck source=toolchain.sh
. "$top/ci/toolchain.sh"
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
version=$1
if [ "$version" = newest ]; then version=$(newest_go) || exit 1; fi
use_go "$version" || exit 1
echo "== Go $version"

"$top/ci/live.sh" 2>&1 | tee "$live" | grep -vE '^ok [0-9]+ - ([^#]|#[^ ])*$|^1\.\.|^[0-9]+ passed'
add_script "$live" "${PIPESTATUS[0]}"
try "the layout table's row is what go$version says" "$top/ci/go-layout.sh" --check "$version"
for build in normal stripped pie cgo; do
	programs=$out/regress/built/$version/$build
	if ! "$top/ci/regress/build.sh" "$programs" "$version" "$build" >"$log" 2>&1; then
		not_ok "go$version, $build: cannot be built: $(tail -n 1 "$log")"
		continue
	fi
	while read -r probe _; do
		line=$("$top/ci/regress/cell.sh" "$programs" "$probe")
		if [[ $line == exact$'\t'* ]]; then
			ok "go$version, $build, $probe"
		else
			not_ok "go$version, $build, $probe: $(echo "$line" | tr '\t' ' ')"
		fi
	done < <(grep -v "^#" "$top/ci/regress/probes")
done
totals
