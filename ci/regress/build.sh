#!/bin/bash
# Builds the programs of ci/regress/programs with one Go version in one way, beside
# each NAME.nm, the symbols that tell what was inlined, and what there is to trace as
# `programs`, lines of NAME STATUS, and what there is to sample as `sampled`, of NAME FREQUENCY.
# What was built from the same sources stays.
#
#   build.sh OUT GO BUILD       GO: 1.22.0; BUILD: normal, stripped, pie or cgo
#
# normal: as go build makes it; stripped: no symbols, no DWARF; pie: position
# independent; cgo: linked by the C compiler, with the C library and runtime/cgo.
set -euo pipefail
[ $# = 3 ] || { sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
exec 9>"$out/.lock" && flock 9
stamp="$2 $3 $(cd "$here/../.." && find fixtures/programs ci/regress/{build.sh,programs,sampled} -type f -print0 |
	sort -z | xargs -0 sha256sum | sha256sum)"
[ "$stamp" != "$(cat "$out/.stamp" 2>/dev/null)" ] || exit 0
rm -f "$out/.stamp" "$out/instances"
minor=$(echo "$2" | cut -d . -f 2)
# shellcheck source=../toolchain.sh
. "$here/../toolchain.sh"
use_go "$2"
export GOFLAGS="-buildvcs=false -trimpath" CGO_ENABLED=1

case "$3" in
normal) flags=() ;;
stripped) flags=("-ldflags=-s -w") ;;
pie) flags=(-buildmode=pie) ;;
cgo) flags=(-ldflags=-linkmode=external) ;;
*) echo "build.sh: no way of building is called '$3'" >&2; exit 2 ;;
esac
cd "$here/../../fixtures/programs"
packages=() newer=()
while read -r name frequency oldest; do
	[ "$minor" -ge "$oldest" ] || continue
	echo "$name $frequency"
	packages+=("./$name")
done < <(grep -v '^#' "$here/sampled") >"$out/sampled"
while read -r name status oldest not; do
	# With the C library there is a thread more, and Go finds no deadlock: never never ends.
	if [ "$minor" -lt "$oldest" ] || [ "$not" = "$3" ]; then continue; fi
	echo "$name $status"
	if [ -d "$name" ]; then packages+=("./$name"); else newer+=("go1.$oldest/$name"); fi
done < <(grep -v '^#' "$here/programs") >"$out/programs"

go build -o "$out/" "${flags[@]}" "${packages[@]}"
for dir in "${newer[@]}"; do (cd "$dir" && go build -o "$out/" "${flags[@]}" .); done
# Where threads and the program begin in the C library, which has no names for it: what its tables say nobody called
# (glibc's clone and clone3), and the linker's first instructions.
if [ "$3" = cgo ]; then
	for file in $(ldd "$out/leafs" | grep -o '/[^ ]*'); do
		{ readelf --debug-dump=frames "$file" 2>/dev/null || :; } | awk -v file="${file##*/}" '
			/ FDE .*pc=/ { match($0, /pc=[0-9a-f.]*/); split(substr($0, RSTART + 3, RLENGTH - 3), pc, /[.][.]/) }
			/DW_CFA_undefined: r16/ { print file, pc[1], pc[2] }'
		case "$file" in */ld-linux*)
			readelf -h "$file" | sed -n 's/.*Entry point address: *0x/0x/p' | while read -r entry; do
				printf '%s %016x %016x\n' "${file##*/}" "$entry" $((entry + 64))
			done ;;
		esac
	done >"$out/outermost"
fi
# Generic functions are called otherwise by Go 1.19 and 1.20, or by no instance: cell.sh adds them up.
[ "$minor" -gt 20 ] || touch "$out/instances"
# Stripping changes nothing else: the symbols are those of the same build with them.
symbols=$out
if [ "$3" = stripped ]; then
	symbols=$(mktemp -d)
	trap 'rm -rf "$symbols"' EXIT
	go build -o "$symbols/" "${packages[@]}"
	for dir in "${newer[@]}"; do (cd "$dir" && go build -o "$symbols/" .); done
fi
for dir in "${packages[@]}" "${newer[@]}"; do
	name=${dir##*/}
	go tool nm "$symbols/$name" >"$out/$name.nm"
done
echo "$stamp" >"$out/.stamp"
