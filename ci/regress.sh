#!/bin/bash
# The regression table: kernels x Go versions x builds x ways of probing, each cell
# the programs of ci/regress/programs traced and compared with their own counts.
#
#   ci/regress.sh              as root; $GOTRACE (build/gotrace), $O (build)
#   ci/regress.sh --table      measures nothing; the table of what was measured so far
#
# $KERNEL, $GO, $BUILD, $PROBE choose (lists with blanks); KERNEL=running is this
# machine's, others boot in a VM (ci/vm/kernel.sh). Goes on where it stopped: a
# cell is done that this very gotrace measured; AGAIN=1 measures it anew, GAPS=1
# only what is not exact in the table, whichever gotrace measured it. Several may
# run at once when each has another KERNEL. Writes results/regress/cells.tsv and
# table.txt; compares with the last committed cells: one that got worse is named
# with the command for it, and status 1.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/ci/regress
export GOTRACE
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
mkdir -p "${O:-$top/build}/regress" "${O:-$top/build}/vm"
state=$(cd "${O:-$top/build}/regress" && pwd)
vm=$(cd "${O:-$top/build}/vm" && pwd)
results=$top/results/regress
read -r -a kernels <<<"${KERNEL:-running 6.1 6.12 newest}"
read -r -a versions <<<"${GO:-$(tr '\n' ' ' <"$here/go-versions")}"
read -r -a builds <<<"${BUILD:-normal stripped pie cgo}"
read -r -a probes <<<"${PROBE:-$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$here/probes" | tr '\n' ' ')}"
[ "${1:-}" != --table ] || kernels=()
[ -x "$GOTRACE" ] || { echo "regress.sh: $GOTRACE is missing; run make first" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "regress.sh: tracing needs root; run: sudo make regress" >&2; exit 1; }
key=$(cd "$top" && find bpf core/base core/binary core/plan core/attach core/trace core/model core/cli/record* \
	-name '*.[ch]' ! -name '*_test.c' ! -name '*_fixture.[ch]' ! -name '*_fuzz.c' -print0 |
	sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16)

# A cell's file holds: key, release of the kernel, result, programs exact, detail.
cell_file() { echo "$state/cells/${1//\//_},$2,$3,$4"; }
is_done() {
	[ "${AGAIN:-}" != 1 ] || return
	if [ "${GAPS:-}" = 1 ]; then
		awk -F '\t' -v cell="${1//\//_} $2 $3 $4" \
			'$1 " " $2 " " $3 " " $4 == cell { r = $6 } END { exit r != "exact" }' "$results/cells.tsv"
	else
		[ "$(cut -f 1 "$(cell_file "$@")" 2>/dev/null)" = "$key" ]
	fi
}
keep() { # KERNEL GO BUILD PROBE RELEASE RESULT-LINE
	mkdir -p "$state/cells"
	printf '%s\t%s\t%s\n' "$key" "$5" "$6" >"$(cell_file "$1" "$2" "$3" "$4")"
	printf '%-8s go%-8s %-9s %-9s %s\n' "$1" "$2" "$3" "$4" "$(echo "$6" | tr '\t' ' ')"
}

# Programs are shared by every kernel; built anew, by one at a time, when they or their builder changed.
built() ( # GO BUILD: prints the folder
	dir=$state/built/$1/$2
	exec 9>"$state/built.lock" && flock 9 || return
	stamp=$(cd "$top" && find fixtures/programs ci/regress/build.sh ci/regress/programs -type f -print0 | sort -z |
		xargs -0 sha256sum | sha256sum)
	if [ "$stamp" != "$(cat "$dir.stamp" 2>/dev/null)" ]; then
		rm -rf "$dir"
		"$here/build.sh" "$dir" "$1" "$2" >"$state/build.log" 2>&1 9>&- || return
		echo "$stamp" >"$dir.stamp"
	fi
	echo "$dir"
)

missing() { # KERNEL GO: prints "BUILD PROBE" of the cells to measure
	local build probe
	for build in "${builds[@]}"; do
		for probe in "${probes[@]}"; do
			is_done "$1" "$2" "$build" "$probe" || echo "$build $probe"
		done
	done
}

on_this_kernel() { # GO
	local build probe dir
	while read -r build probe; do
		if dir=$(built "$1" "$build"); then
			keep running "$1" "$build" "$probe" "$(uname -r)" "$("$here/cell.sh" "$dir" "$probe")"
		else
			echo "regress.sh: go$1, $build: cannot be built: $(tail -n 1 "$state/build.log")" >&2
			failed=1
		fi
	done < <(missing running "$1")
}

# One boot measures all cells of a kernel and a Go version.
in_vm() { # KERNEL GO
	local cells image root=$state/payload-${1//\//_} out=$state/vm-${1//\//_}-go$2 line build probe release verdict option=()
	cells=$(missing "$1" "$2")
	[ -n "$cells" ] || return 0
	image=$("$top/ci/vm/kernel.sh" "$vm/kernels" "$1") || { failed=1; return; }
	[ "${1%-full}" = "$1" ] || option=(preempt=full)
	rm -rf "$root"
	mkdir -p "$root/top/fixtures/traces" "$root/built"
	cp -r "$top/ci" "$root/top/"
	cp "$top/fixtures/traces/counts.sh" "$root/top/fixtures/traces/"
	cp "$here/in-vm" "$root/run"
	echo "$cells" >"$root/cells"
	for build in $(echo "$cells" | cut -d ' ' -f 1 | sort -u); do
		line=$(built "$2" "$build") || {
			echo "regress.sh: go$2, $build: cannot be built: $(tail -n 1 "$state/build.log")" >&2
			failed=1
			return
		}
		ln -s "$line" "$root/built/$build"
	done
	if ! "$top/ci/vm/initramfs.sh" "$root.base.cpio" "$GOTRACE" ||
		! "$top/ci/vm/initramfs.sh" --folder "$root" "$root.cpio" /payload; then
		failed=1
		return
	fi
	cat "$root.base.cpio" "$root.cpio" >"$root.initramfs.cpio"
	verdict=$("$top/ci/vm/boot.sh" "$image" "$root.initramfs.cpio" "$out" "${SECONDS_MAX:-3000}" "${option[@]}" | head -n 1)
	release=$(sed -n 's/^vm: \([0-9][^,]*\), up .*/\1/p' "$out.log")
	while read -r build probe; do
		line=$(sed -n "s/^cell $build $probe //p" "$out.log" | tail -n 1)
		[ -n "$line" ] || line=$(printf 'crash\t0\t%s' "${verdict:-the VM said nothing of it}")
		keep "$1" "$2" "$build" "$probe" "${release:-unknown}" "$line"
		# What follows the cell in which the VM died was not measured.
		if [[ $line == crash$'\t'0$'\t'vm:* ]]; then failed=1; break; fi
	done <<<"$cells"
}

# All cells of this gotrace or an older one, merged into the committed rows; `sources` tells them apart.
write_table() {
	local f
	mkdir -p "$results"
	{
		[ ! -e "$results/cells.tsv" ] || grep -v '^kernel' "$results/cells.tsv" | sed 's/^/0\t/'
		for f in "$state/cells/"*; do
			[ -e "$f" ] || continue
			printf '1\t%s\t%s\t%s\n' "$(basename "$f" | tr ',' '\t')" "$(cut -f 2- "$f")" "$(cut -f 1 "$f")"
		done
	} | awk -F '\t' '{ row[$2, $3, $4, $5] = substr($0, 3) } END { for (i in row) print row[i] }' |
		sort -t "$(printf '\t')" -k1,1 -k2,2V -k3,4 >"$state/rows.$$"
	{ printf 'kernel\tgo\tbuild\tprobe\trelease\tresult\texact_programs\tdetail\tsources\n'; cat "$state/rows.$$"; } >"$state/cells.$$"
	rm "$state/rows.$$"
	mv "$state/cells.$$" "$results/cells.tsv" # at once: another may be reading
	"$here/table.sh" "$results/cells.tsv" >"$results/table.txt"
}

failed=0
write_table
for kernel in "${kernels[@]}"; do
	for go in "${versions[@]}"; do
		case "$kernel" in
		running) on_this_kernel "$go" ;;
		*) in_vm "$kernel" "$go" ;;
		esac
	done
done
write_table
cat "$results/table.txt"
git -C "$top" show HEAD:results/regress/cells.tsv >"$state/before.tsv" 2>/dev/null || : >"$state/before.tsv"
"$here/worse.sh" "$state/before.tsv" "$results/cells.tsv" || failed=1
exit $failed
