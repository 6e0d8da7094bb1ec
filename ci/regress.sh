#!/bin/bash
# The regression table: kernels x Go versions x builds x ways of probing, each cell
# the programs of ci/regress/programs traced and compared with their own counts, or for
# PROBE=sample those of ci/regress/sampled sampled and compared with what is known of them.
#
#   ci/regress.sh              $GOTRACE (build/gotrace), $O (build)
#   ci/regress.sh --table      measures nothing; the table of what was measured so far
#   ci/regress.sh --sources    prints the sum of the sources that decide counts, which cells have
#
# $KERNEL, $GO, $BUILD, $PROBE choose (lists with blanks); KERNEL=running is this
# machine's, as root, others boot in a VM (ci/vm/kernel.sh); GO=newest is what there is. Goes on where it stopped: a
# cell is done that these sources measured on this release of the kernel with these
# programs; AGAIN=1 measures it anew, GAPS=1 only what is not exact in the table,
# whichever sources measured it; SECONDS_MAX: a boot's (3000). Several may run at once when each has another KERNEL.
# Writes results/regress/cells.tsv and table.txt (cells of a vmlinuz given by its path
# are printed only); compares with the last committed cells: one that got worse is
# named with the command for it, and status 1.
set -uo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
here=$top/ci/regress
# What decides counts, and what a cell asks.
sum_of() (cd "$top" && find "$@" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c 1-16)
sum_of_sources() {
	sum_of bpf core \( -path 'core/cli/record*' -o -path 'core/cli/sample*' -o ! -path 'core/cli/*' \) ! -path 'core/analysis/*' ! -path 'core/report/*' \
		! -path 'core/export/*' -name '*.[ch]' ! -name '*_test.c' ! -name '*_fixture.[ch]' ! -name '*_fuzz.c'
}
sum_of_programs() { sum_of fixtures/programs fixtures/traces/counts.sh ci/regress/{build.sh,cell.sh,sample-cell.sh,in-vm,probes,programs,sampled}; }
[ "${1:-}" != --sources ] || { sum_of_sources; exit; }
export GOTRACE
GOTRACE=$(realpath -m "${GOTRACE:-$top/build/gotrace}")
mkdir -p "${O:-$top/build}/regress" "${O:-$top/build}/vm"
state=$(cd "${O:-$top/build}/regress" && pwd)
vm=$(cd "${O:-$top/build}/vm" && pwd)
results=$top/results/regress
listed=$(tr '\n' ' ' <"$top/ci/go-versions")
read -r -a kernels <<<"${KERNEL:-$("$top/ci/vm/kernel.sh" --list regress | tr '\n' ' ')}"
read -r -a versions <<<"${GO:-$listed}"
# shellcheck source=toolchain.sh
. "$top/ci/toolchain.sh"
if [[ " ${versions[*]} " == *' newest '* ]]; then
	newest=$(newest_go) || exit 1
	versions=("${versions[@]/#newest/$newest}")
fi
[ "${1:-}" != --table ] || kernels=()
[ -x "$GOTRACE" ] || { echo "regress.sh: $GOTRACE is missing; run make first" >&2; exit 1; }
if [[ " ${kernels[*]} " == *' running '* ]] && [ "$(id -u)" != 0 ]; then
	echo "regress.sh: tracing on this kernel needs root; run: sudo make regress" >&2
	exit 1
fi
all_builds='normal stripped pie cgo'
all_probes=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$here/probes" | tr '\n' ' ')
read -r -a builds <<<"${BUILD:-$all_builds}"
read -r -a probes <<<"${PROBE:-$all_probes}"
each_of() { # VARIABLE KNOWN WORD...
	local word
	for word in "${@:3}"; do
		[[ " $2 " == *" $word "* ]] || { echo "regress.sh: no $1 is called '$word': $2" >&2; exit 1; }
	done
}
each_of BUILD "$all_builds" "${builds[@]}"
each_of PROBE "$all_probes" "${probes[@]}"
key=$(sum_of_sources)
asked=$(sum_of_programs)

# A cell's file holds: key, release of the kernel, result, programs exact, detail, asked.
cell_file() { echo "$state/cells/$1,$2,$3,$4"; }
is_done() { # KERNEL GO BUILD PROBE RELEASE
	[ "${AGAIN:-}" != 1 ] && [[ $1 != */* ]] || return
	if [ "${GAPS:-}" = 1 ]; then
		awk -F '\t' -v cell="$1 $2 $3 $4" \
			'$1 " " $2 " " $3 " " $4 == cell { r = $6 } END { exit r != "exact" }' "$results/cells.tsv"
	else
		[ "$(cut -f 1,2,6 "$(cell_file "$@")" 2>/dev/null)" = "$key"$'\t'"$5"$'\t'"$asked" ]
	fi
}
keep() { # KERNEL GO BUILD PROBE RELEASE RESULT-LINE
	local result exact detail
	IFS=$'\t' read -r result exact detail <<<"$6"
	case "$result" in
	exact | refused | wrong | crash) ;;
	*) detail="nothing came of it ${6:+: $6}" result=crash exact=0 ;;
	esac
	printf '%-8s go%-8s %-9s %-11s %s\n' "$1" "$2" "$3" "$4" "$result $exact $detail"
	if [[ $1 == */* ]]; then
		[[ $result != wrong && $result != crash ]] || failed=1
		return
	fi
	mkdir -p "$state/cells"
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$key" "$5" "$result" "$exact" "$detail" "$asked" >"$(cell_file "$1" "$2" "$3" "$4")" || failed=1
}

# Programs are shared by every kernel, and with ci/test-go.sh.
built() { # GO BUILD: prints the folder
	local dir=$state/built/$1/$2
	if "$here/build.sh" "$dir" "$1" "$2" >"$own/build.log" 2>&1; then
		echo "$dir"
	else
		echo "regress.sh: go$1, $2: cannot be built: $(tail -n 1 "$own/build.log")" >&2
		return 1
	fi
}

missing() { # KERNEL GO RELEASE: prints "BUILD PROBE" of the cells to measure
	local build probe
	for build in "${builds[@]}"; do
		for probe in "${probes[@]}"; do
			is_done "$1" "$2" "$build" "$probe" "$3" || echo "$build $probe"
		done
	done
}

on_this_kernel() { # GO
	local build probe dir release
	release=$(uname -r)
	while read -r build probe; do
		dir=$(built "$1" "$build") || { failed=1; continue; }
		keep running "$1" "$build" "$probe" "$release" "$("$here/cell.sh" "$dir" "$probe")"
	done < <(missing running "$1" "$release")
}

# What `uname -r` will say: kernel_version of the boot protocol (Documentation/arch/x86/boot.rst).
release_of() { # VMLINUZ
	local at
	at=$(od -An -tu2 -j 526 -N 2 "$1") &&
		tail -c +$((at + 513)) "$1" 2>/dev/null | head -c 200 | tr '\0' '\n' | sed -n '1s/ .*//p'
}

# What a VM measures cells with, as ROOT.initramfs.cpio.
payload() { # GO CELLS ROOT
	local build dir
	rm -rf "$3" && mkdir -p "$3/top/fixtures/traces" "$3/built" &&
		cp -r "$top/ci" "$3/top/" && cp "$top/fixtures/traces/counts.sh" "$3/top/fixtures/traces/" &&
		cp "$here/in-vm" "$3/run" && echo "$2" >"$3/cells" || return
	for build in $(echo "$2" | cut -d ' ' -f 1 | sort -u); do
		dir=$(built "$1" "$build") && ln -s "$dir" "$3/built/$build" || return
	done
	"$top/ci/vm/initramfs.sh" "$3.base.cpio" "$GOTRACE" &&
		"$top/ci/vm/initramfs.sh" --folder "$3" "$3.cpio" /payload &&
		cat "$3.base.cpio" "$3.cpio" >"$3.initramfs.cpio"
}

# One boot measures all cells of a kernel and a Go version, each kept as soon as the VM has said it.
in_vm() { # KERNEL GO VMLINUZ
	local cells root=$state/payload-${1//\//_} out=$state/vm-${1//\//_}-go$2
	local word build probe line release verdict left said=0 option=()
	release=$(release_of "$3")
	release=${release:-unknown}
	cells=$(missing "$1" "$2" "$release")
	[ -n "$cells" ] || return 0
	[ "${1%-full}" = "$1" ] || option=(preempt=full)
	payload "$2" "$cells" "$root" || { failed=1; return; }
	rm -f "$out.log"
	"$top/ci/vm/boot.sh" "$3" "$root.initramfs.cpio" "$out" "${SECONDS_MAX:-3000}" "${option[@]}" >"$out.verdict" &
	boot=$!
	while read -r word build probe line; do
		[ "$word" = cell ] || continue
		keep "$1" "$2" "$build" "$probe" "$release" "$line"
		said=$((said + 1))
	done < <(tail -s 0.2 -n +1 --pid=$boot -F "$out.log" 2>/dev/null)
	wait "$boot"
	boot=
	verdict=$(head -n 1 "$out.verdict")
	left=$(tail -n +$((said + 1)) <<<"$cells") # it goes through them in order
	if ! grep -q '^vm: .* up after' "$out.log" 2>/dev/null; then
		echo "regress.sh: $1, go$2: ${verdict:-the VM was never up}" >&2
		failed=1
	elif [ -n "$left" ] && [[ $verdict == 'vm: not done after'* ]] && [ $said -gt 0 ]; then
		echo "regress.sh: $1, go$2: $verdict; start again for the rest, or with SECONDS_MAX=" >&2
		failed=1
	elif [ -n "$left$verdict" ]; then
		# The VM died in this cell, and what follows was not measured, or behind the last one.
		read -r build probe <<<"${left:-$(tail -n 1 <<<"$cells")}"
		keep "$1" "$2" "$build" "$probe" "$release" $'crash\t0\t'"${verdict:-the VM said nothing of it}"
		failed=1
	fi
}
boot='' own=$state/start.$$
trap 'rm -rf "$own"' EXIT
trap '[ -z "$boot" ] || kill "$boot"; exit 143' INT TERM

# The committed rows, and over them what these sources measured here with these programs; what else was
# measured here fills gaps.
# Rows of a Go version, build or way of probing that is none any more are left out.
write_table() {
	local f
	mkdir -p "$results"
	{
		[ ! -e "$results/cells.tsv" ] || grep -v '^kernel' "$results/cells.tsv" | sed 's/^/2\t/'
		for f in "$state/cells/"*; do
			[ -e "$f" ] || continue
			printf '%d\t%s\t%s\t%s\n' "$([ "$(cut -f 1,6 "$f")" = "$key"$'\t'"$asked" ] && echo 3 || echo 1)" \
				"$(basename "$f" | tr ',' '\t')" "$(cut -f 2-5 "$f")" "$(cut -f 1 "$f")"
		done
	} | sort -s -n -k 1,1 | awk -F '\t' -v versions="$listed ${versions[*]}" \
		-v builds="$all_builds" -v probes="$all_probes" '
		function is(word, of) { return index(" " of " ", " " word " ") }
		is($3, versions) && is($4, builds) && is($5, probes) { row[$2, $3, $4, $5] = substr($0, 3) }
		END { for (i in row) print row[i] }' |
		sort -t "$(printf '\t')" -k1,1 -k2,2V -k3,4 >"$own/rows"
	{ printf 'kernel\tgo\tbuild\tprobe\trelease\tresult\texact_programs\tdetail\tsources\n'; cat "$own/rows"; } >"$own/cells"
	mv -f "$own/cells" "$results/cells.tsv" # at once: another may be reading
	"$here/table.sh" "$results/cells.tsv" >"$results/table.txt"
}

unchanged() {
	[ "$key$asked" != "$(sum_of_sources)$(sum_of_programs)" ] || return 0
	[ "$failed" = changed ] || echo "regress.sh: sources, programs or scripts changed while it measured; start again" >&2
	failed=changed
	return 1
}
failed=0
mkdir -p "$own" || exit 1
# One start, one gotrace: what is built meanwhile is not mixed in.
cp "$GOTRACE" "$own/gotrace" && GOTRACE=$own/gotrace || exit 1
# Before the hours of measuring; root may look at another user's tree.
git -c "safe.directory=$top" -C "$top" show HEAD:results/regress/cells.tsv >"$own/before.tsv" || {
	echo "regress.sh: there would be nothing to compare with: git cannot show the committed cells" >&2
	exit 1
}
write_table
for kernel in "${kernels[@]}"; do
	image=
	if [ "$kernel" != running ]; then
		image=$("$top/ci/vm/kernel.sh" "$vm/kernels" "$kernel") || { failed=1; continue; }
	fi
	for go in "${versions[@]}"; do
		unchanged || break 2
		if [ "$kernel" = running ]; then on_this_kernel "$go"; else in_vm "$kernel" "$go" "$image"; fi
	done
done
unchanged
write_table
cat "$results/table.txt"
"$here/worse.sh" "$own/before.tsv" "$results/cells.tsv" || failed=1
[ "$failed" = 0 ]
