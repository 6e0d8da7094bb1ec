#!/bin/bash
# Tests of check-paper.sh and check-figures.py: each breaks something on purpose and sees that it is noticed. Needs no root, and the
# build ($O, build).
# Tests are called by name, and fail where anything before does.
# shellcheck disable=SC2317,SC2015,SC2016
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath -m "${O:-$top/build}")
export O=$build
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# broken FILE SED WORDS [SCRIPT]: with that change the check fails, and says so
broken() {
	cp "$1" "$work/kept"
	sed -i "$2" "$1"
	! cmp -s "$1" "$work/kept" || fail "nothing to break in $1: $2"
	! "${4:-ci/check-paper.py}" >"$work/said" 2>&1 || fail "not noticed: $1, $2"
	grep "^not ok - .*$3" "$work/said" >/dev/null || { grep -v ^ok "$work/said"; fail "$1, $2: not said: $3"; }
	cp "$work/kept" "$1"
}
documents() {
	local run old
	mkdir "$work/documents" && cd "$work/documents" || exit
	mkdir -p core/plan core/model
	cp "$top/core/plan/PROBING.md" core/plan && cp "$top/core/model/CORRECTNESS.md" core/model
	cp -r "$top"/{README.md,CHANGELOG.md,paper,results,experiments,ci} . && cp -r "$top/core/stats" "$top/core/base" core
	ci/check-paper.sh >"$work/said" 2>&1 || { cat "$work/said"; fail "not right as it stands"; }
	# Without gnuplot the rest is compared all the same.
	mkdir "$work/bin" && ln -s /usr/bin/* "$work/bin" && rm -f "$work"/bin/gnuplot*
	PATH=$work/bin ci/check-paper.sh >"$work/said" 2>&1 || { cat "$work/said"; fail "not right without gnuplot"; }
	grep -q '^ok - everything plotted .* # SKIP no gnuplot' "$work/said" && tail -n 1 "$work/said" | grep -q ' 1 skipped$' || fail "plots are not skipped: $(cat "$work/said")"
	run=$(sed -n 's/^overhead = //p' paper/runs)
	broken README.md '/^| ants, four pools/s/| 1\.[0-9]* |/| 9.99 |/' 'README.md: .*the rows say'
	broken README.md 's/wait, [0-9.]* % /wait, 99.9 % /' 'README.md: .*the rows say'
	broken README.md 's/up to [0-9]* MiB, `html`/up to 1 MiB, `html`/' 'README.md: .*the rows say'
	broken README.md "s|results/$run|results/overhead/20200101T000000Z|" 'README.md: .*the rows say'
	broken README.md 's/^x86-64 only/It takes 3 s more. &/; s/^## Overhead$/&\n\nIt takes 3 s more./' 'without: 3'
	broken CHANGELOG.md 's/at most 128 MB and/at most 129 MB and/' 'CHANGELOG.md .*without: 129 MB'
	broken CHANGELOG.md 's/^### Added$/&\n- Half as fast: 12.5 % less./' 'CHANGELOG.md .*without: 12.5 %'
	broken core/plan/PROBING.md 's/^| `--probe=thesis` | [0-9]*/&9/' 'PROBING.md: .*the rows say'
	broken paper/paper.md 's/ events a second, and [0-9]/&9/' 'paper/paper.md is what'
	broken paper/paper.md '0,/| inline | 0\.[0-9]* |/s//| inline | 9.999 |/' 'paper/paper.md is what'
	broken paper/paper.md.in 's/^## Results$/&\n\nIt is 17 times as fast./' 'paper.md.in .*without: 17'
	broken paper/paper.md.in 's/function=framed & threads=1/function=none/' 'paper/paper.md is what'
	broken paper/numbers 's/^set-up = .*/set-up = {no-such-name} :: .2f/' 'no-such-name'
	# Cells: of rows, of what is derived of them, and of a run that nothing derives any more.
	broken "results/$run/raw.csv" '/^ants,time,3,0,inline,/s/,[^,]*,[^,]*$/,1,1/' 'everything derived' ci/check-paper.sh
	broken "results/$run/tables.md" '/^| ants | inline |/s/1\.0/1.1/' 'everything derived' ci/check-paper.sh
	old=$(grep '^overhead/' results/historic.txt | tail -n 1)
	broken "results/$old/raw.csv" '4s/1/2/' 'no file of results' ci/check-paper.sh
	# Another run: its numbers can be put everywhere by one edit.
	sed -i "s|^overhead = .*|overhead = $run-2|" paper/runs
	cp -r "results/$run" "results/$run-2"
	sed -i '/^ants,time,[0-9],0,inline,/s/,inline,\([^,]*,[^,]*,[^,]*\),[^,]*,/,inline,\1,2.5,/' "results/$run-2/raw.csv"
	! ci/check-paper.py >"$work/said" || fail "other rows, and the same documents"
	ci/check-paper.sh --write >"$work/said" 2>&1 || { cat "$work/said"; fail "the numbers of another run cannot be put in"; }
	ci/check-paper.sh >"$work/said" 2>&1 || { cat "$work/said"; fail "though they were put in"; }
	grep -q "results/$run-2/tables.md" README.md && grep -q '^| ants, four pools.*| 9\.[0-9]* | 102 |' README.md || fail "README has another: $(grep '^| ants' README.md)"
}
# A picture, and the report, then reports that differ by a number, a name or a path.
figures() {
	local change
	cd "$top" || exit
	for change in '' '/"function": "main.greet"/,/}/s/"total_corrected_ns": /&1/' '/"function": "main.greet"/,/}/s/"self_corrected_ns": /&1/' \
		's/"function": "time.Sleep"/"function": "time.Nap"/' '/^ *"main.greetBoth"$/,/}/s/"self_corrected_ns": /&1/'; do
		printf '#!/bin/sh\n[ "$1" = report ] || exec "%s" "$@"\n"%s" "$@" | sed '"'%s'"'\n' "$build/gotrace" "$build/gotrace" "$change" >"$work/other"
		chmod +x "$work/other"
		if ci/check-figures.py "$work/other" paper/figures/greet.gotrace >"$work/said"; then
			[ -z "$change" ] || fail "not noticed: $change"
		else
			[ -n "$change" ] || { cat "$work/said"; fail "not right as it stands"; }
			grep -q '^#   ' "$work/said" || { cat "$work/said"; fail "not said what differs: $change"; }
		fi
	done
}
try "one changed digit in a document, or cell in results, is noticed, and another run is one edit" documents
try "a picture that is not what the report says is noticed" figures
totals
