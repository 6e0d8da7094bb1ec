#!/bin/bash
# Tests of check-paper.sh, check-figures.py and check-examples.py: each breaks something on purpose and sees that it is noticed. Needs no root, and the
# build ($O, build).
# Tests are called by name, and fail where anything before does.
# shellcheck disable=SC2317,SC2015,SC2016,SC2153
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath -m "${O:-$top/build}")
export O=$build
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; exit 1; }

# apart COMMAND...: in a copy of the documents, beside others, as many as there are processors; all_passed waits for them.
running=0 apart=0
apart() {
	[ $running -lt "$(nproc)" ] || { wait -n || touch "$work/one_failed"; running=$((running - 1)); }
	apart=$((apart + 1)) running=$((running + 1))
	( # what it says begins with what it was
		cp -r "$work/documents" "$work/apart$apart" && cd "$work/apart$apart" && said=$work/said$apart || exit
		("$@") >"$said.test" 2>&1 || { echo "in $*:"; cat "$said.test"; exit 1; }
		rm -rf "$work/apart$apart"
	) &
}
all_passed() {
	while [ $running -gt 0 ]; do
		wait -n || touch "$work/one_failed"
		running=$((running - 1))
	done
	[ ! -e "$work/one_failed" ]
}
noticed() { # WORDS SCRIPT WHAT
	! "$2" >"$said" 2>&1 || fail "not noticed: $3"
	grep "^not ok - .*$1" "$said" >/dev/null || { grep -v ^ok "$said"; fail "$3: not said: $1"; }
}
# broken FILE SED WORDS [SCRIPT]: with that change the check fails, and says so
broken() {
	cp "$1" "$said.kept"
	sed -i "$2" "$1"
	! cmp -s "$1" "$said.kept" || fail "nothing to break in $1: $2"
	noticed "$3" "${4:-ci/check-paper.py}" "$1, $2"
}
not_derived() { # COMMAND...: where the run of overhead is not derived either
	sed -i "s/^overhead = .*/&, not derived/" paper/runs
	"$@"
}
gone() { # FILE WORDS [SCRIPT]
	rm -r "$1" && noticed "$2" "${3:-ci/check-paper.py}" "$1 is gone"
}
stray() {
	cp -r "results/$run" "results/${run}1" && noticed "each run in results .*/${run#*/}1" ci/check-paper.py "a run that paper/runs does not name"
}
# A changed cell of rows that are packed: other bytes, and another number.
packed_row() {
	local folder
	folder=results/$(sed -n 's/^real-misspell = \([^,]*\).*/\1/p' paper/runs)
	experiments/rows.sh --unpack "$folder" >/dev/null && rm "$folder/rows.tar.zst" || fail "not unpacked"
	awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR == 4 { $at["discarded"] = 0; $at["lost_events"] += 1000000 } 1' "$folder/raw.csv" >"$said.rows"
	mv "$said.rows" "$folder/raw.csv" && experiments/rows.sh --pack "$folder" && [ ! -e "$folder/raw.csv" ] || fail "not packed"
	noticed 'no file of results has changed' ci/check-paper.sh "a packed cell"
	noticed 'the rows say' ci/check-paper.py "a packed cell"
}
# The rest is compared all the same. A run that was removed is no change.
no_gnuplot() {
	mkdir bin && find /usr/bin -mindepth 1 ! -name 'gnuplot*' -exec ln -s -t bin {} +
	echo "00  ./overhead/20200101T000000Z/raw.csv" >>paper/results.sha256
	PATH=$PWD/bin ci/check-paper.sh >"$said" 2>&1 || { cat "$said"; fail "not right without gnuplot"; }
	grep -q '^ok - everything plotted .* # SKIP no gnuplot' "$said" && tail -n 1 "$said" | grep -q ' 1 skipped$' || fail "plots are not skipped: $(cat "$said")"
}
# Its numbers can be put everywhere by one edit.
another_run() {
	sed -i "s|^overhead = .*|overhead = $run-2|" paper/runs
	mv "results/$run" "results/$run-2"
	sed -i '/^ants,time,[0-9],0,inline,/s/,inline,\([^,]*,[^,]*,[^,]*\),[^,]*,/,inline,\1,2.5,/' "results/$run-2/raw.csv"
	! ci/check-paper.py >"$said" || fail "other rows, and the same documents"
	ci/check-paper.sh --write >"$said" 2>&1 || { cat "$said"; fail "the numbers of another run cannot be put in"; }
	ci/check-paper.sh >"$said" 2>&1 || { cat "$said"; fail "though they were put in"; }
	grep -q "results/$run-2/tables.md" "$numbers" && grep -q "(overhead/${run#*/}-2)" results/README.md &&
		grep -q '^| ants, four pools.*| 9\.[0-9]* | 102 |' "$numbers" || fail "another is there: $(grep '^| ants' "$numbers")"
}
documents() {
	local run older numbers=experiments/overhead/README.md
	mkdir "$work/documents" && cd "$work/documents" || exit
	# All documents, what makes tables, and what figures are drawn of.
	(cd "$top" && find core ci fixtures -name '*.md' -exec cp --parents {} "$work/documents" \;)
	cp "$top"/ci/{check-paper.*,paper_*.py,totals.sh,layers.sh} ci
	cp "$top/core/plan/inline_stub_code.S" core/plan
	cp -r "$top"/{README.md,CHANGELOG.md,CONTRIBUTING.md,Makefile,paper,results,experiments} . && cp -r "$top/core/stats" "$top/core/base" core
	mkdir -p core/cli && cp -r "$top/core/cli/man" core/cli
	ci/check-paper.sh >"$work/said" 2>&1 || { cat "$work/said"; fail "not right as it stands"; }
	run=$(sed -n 's/^overhead = //p' paper/runs)
	# All has been derived once: from here on only what is broken is, and the copies have no other experiment.
	find experiments -mindepth 1 -maxdepth 1 -type d ! -name overhead ! -name springboard-safety ! -name peers ! -name stats -exec rm -r {} +
	sed -i '/^overhead = /!s/^[a-z-]* = [^,]*$/&, not derived/; /^overhead = /!s/older$/&, not derived/' paper/runs
	ci/check-paper.py --note >"$work/said" 2>&1 || true # experiments' texts are gone
	ci/check-paper.py --write >"$work/said" 2>&1 || { cat "$work/said"; fail "not right with one run derived"; }
	apart another_run
	apart no_gnuplot
	# Cells: of rows, of what is derived of them, and of a run that nothing derives any more.
	apart broken "results/$run/raw.csv" '/^ants,time,3,0,inline,/s/,[^,]*,[^,]*$/,1,1/' 'everything derived' ci/check-paper.sh
	apart broken "results/$run/tables.md" '/^| ants | inline |/s/1\.0/1.1/' 'everything derived' ci/check-paper.sh
	apart not_derived broken "results/$(sed -n 's/^sample-gaps-older = \([^,]*\), older, not derived$/\1/p' paper/runs)/rows.csv" '4s/1/2/' 'no file of results' ci/check-paper.sh
	apart not_derived gone "results/$(sed -n 's/^peers = \([^,]*\).*/\1/p' paper/runs)/logs.tar.zst" 'no file of results' ci/check-paper.sh
	apart gone "results/$(sed -n 's/^trace-io = \([^,]*\).*/\1/p' paper/runs)" 'each run of paper/runs is in results.*trace-io'
	apart stray
	apart packed_row
	apart broken results/README.md '/^| collector |/d' 'results/README.md has the runs'
	apart broken experiments/peers/README.md 's|results/peers)|results/peer)|' 'each link to results .*: results/peer' ci/check-paper.py
	apart broken "$numbers" '/^| ants, four pools/s/| 1\.[0-9]* |/| 9.99 |/' 'README.md: .*the rows say'
	apart broken "$numbers" 's/wait, [0-9.]* % /wait, 99.9 % /' 'README.md: .*the rows say'
	apart broken "$numbers" 's/up to [0-9]* MiB, `html`/up to 1 MiB, `html`/' 'README.md: .*the rows say'
	apart broken "$numbers" "s|results/$run|results/overhead/20200101T000000Z|" 'README.md: .*the rows say'
	apart broken "$numbers" 's/^### Agent$/&\n\nIt takes 3 s more./' 'without: 3'
	apart broken README.md '/^| gofumpt/s/| 2\.[0-9]* |/| 9.99 |/' 'README.md: .*the rows say'
	apart broken README.md 's/some [0-9]* ns on an AMD/some 99 ns on an AMD/' 'README.md: .*the rows say'
	apart broken README.md 's/^x86-64 only/It takes 3 s more. &/; s/^## Overhead$/&\n\nIt takes 3 s more./' 'without: 3'
	apart broken CHANGELOG.md 's/at most 128 MB and/at most 129 MB and/' 'CHANGELOG.md .*without: 129 MB'
	apart broken CHANGELOG.md 's/^### Added$/&\n- Half as fast: 12.5 % less./' 'CHANGELOG.md .*without: 12.5 %'
	apart broken core/plan/PROBING.md 's/^| `--probe=thesis` | [0-9]*/&9/' 'PROBING.md: .*the rows say'
	apart broken paper/paper.md 's/ MiB, whatever/9&/' 'paper/paper.md is what'
	apart broken paper/paper.md '0,/| inline | 0\.[0-9]* |/s//| inline | 9.999 |/' 'paper/paper.md is what'
	apart broken paper/paper.md.in 's/^## Overhead$/&\n\nIt is 17 times as fast./' 'paper.md.in .*without: 17'
	apart broken paper/paper.md.in 's/unsure of ten!=x/unsure of ten=none/' 'paper/paper.md is what'
	apart broken paper/numbers 's/^set-up = .*/set-up = {no-such-name} :: .2f/' 'no-such-name'
	# Commands, numbers in words, pictures, what gotrace needs, the manual, texts beside the code, and runs that are not the newest.
	apart broken paper/paper.md.in 's/`make experiment-probe-cost`/`make experiment-probe-cots`/' 'each make TARGET .*experiment-probe-cots'
	apart broken experiments/README.md 's/`sudo make experiments`/`sudo make experimenst`/' 'each make TARGET .*experimenst'
	apart in_words
	apart copied paper/figures/ants-timeline.png paper/figures/greet-inclusive.png 'pictures and recordings .*greet-inclusive.png has changed'
	apart copied paper/figures/ants.gotrace paper/figures/greet.gotrace 'pictures and recordings .*greet.gotrace has changed'
	apart gone paper/figures/greet.gotrace 'pictures and recordings .*greet.gotrace is gone'
	apart broken README.md 's/Linux 6\.6 or newer/Linux 5.6 or newer/' 'no number of a document .*README.md: +5.6'
	apart broken core/cli/man/gotrace-export.1 's/a million calls/a billion calls/' 'no number of a document .*gotrace-export.1: +a billion calls'
	apart broken core/cli/man/gotrace-record.1 's/costs some 20 ns instead/costs some 2 ns instead/' 'no number of a document .*gotrace-record.1: +2 ns'
	apart broken core/model/CORRECTNESS.md 's/^29 such/92 such/' 'no number of a document .*CORRECTNESS.md: .*-29'
	apart broken core/model/CORRECTNESS.md 's/3\.6 times/1.6 times/' 'no number of a document .*CORRECTNESS.md: +1.6 times'
	apart broken experiments/README.md 's/six hours/sixty hours/' 'no number of a document .*experiments/README.md: .*sixty hours'
	older=$(sed -n 's/^overhead-older = \([^,]*\),.*/\1/p' paper/runs)
	apart broken paper/runs 's|^overhead-older = |overhead-before = |' 'a run of older sources.*overhead-before'
	apart broken paper/runs 's|^\(overhead-older = [^,]*\), older|\1|' 'a run of older sources.*overhead-older'
	apart broken paper/runs "s|^overhead = .*|overhead = $older|" 'a run of older sources.*overhead has the run of another'
	# Pictures that say what rows and sources do not, and a text that is no paper.
	apart broken paper/figures/probe-cost.svg '/class="value s0"/s/translate([0-9.]*,/translate(300.00,/' "figures are drawn .*probe-cost.svg: .*the thesis's probes.* in the picture"
	apart broken paper/figures/real-programs.svg '/>hugo</d' 'figures are drawn .*hugo.* is not in the picture'
	apart broken paper/figures/stub.svg 's/publishes it/finds the ring of the P/' 'figures are drawn .*stub.svg: not the steps'
	apart broken ci/layers.sh 's/^\tstats:base/\tstats:trace\/|base/' 'figures are drawn .*architecture.svg: not what ci/layers.sh says'
	apart drawn_wrongly
	apart broken paper/paper.md 's/ \[Duck20\]//' 'few tables.*Duck20 is not cited'
	apart broken paper/paper.md 's/\[Luk05\] /[Luk06] /' 'few tables.*Luk06 is listed 0 times'
	apart broken paper/paper.md 's/^## Conclusion$/| a | b | c | d | e | f | g | h | i |\n|---|---|---|---|---|---|---|---|---|\n\n&/' 'few tables.*9 tables; 9 columns'
	all_passed
}
# A figure that is drawn anew is read back all the same.
drawn_wrongly() {
	sed -i 's/picture.mark(at(value), y/picture.mark(at(value * 1.1), y/' ci/paper_figures.py
	! ci/check-paper.py --write >"$said" || fail "not noticed: marks in wrong places"
	noticed 'figures are drawn .*accuracy.svg: .* in the picture' ci/check-paper.py "marks in wrong places"
}
# Words that both texts have, and that no row says.
in_words() {
	sed -i 's/^## Overhead$/&\n\nIt is two times as fast in nine of ten programs./' paper/paper.md.in paper/paper.md
	noticed 'paper.md.in .*without: two times, nine of ten' ci/check-paper.py "numbers in words"
}
copied() { # FROM TO WORDS
	cp "$1" "$2" && noticed "$3" ci/check-paper.py "$1 in place of $2"
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
# A recording of another program, or of none; a digit of an example; a recording that the example is not of.
recordings() {
	cd "$top" || exit
	said=$work/recordings.said
	cp paper/figures/ants.gotrace "$work/greet.gotrace"
	! ci/check-figures.py "$build/gotrace" "$work/greet.gotrace" >"$said" && grep -q 'of the program ants' "$said" || fail "not noticed: another recording: $(cat "$said")"
	for change in 's/>12.8 ms</>18.2 ms</' 's/height="315\.[0-9]*"/height="215.00"/' 's/<title>main.greet</<title>main.green</'; do
		mkdir -p "$work/printed" && cp paper/figures/greet* "$work/printed" && sed -i "$change" "$work/printed/greet-inclusive.svg"
		! cmp -s paper/figures/greet-inclusive.svg "$work/printed/greet-inclusive.svg" || fail "nothing to break in a picture for print: $change"
		! ci/check-figures.py "$build/gotrace" "$work/printed/greet.gotrace" >"$said" && grep -q 'greet-inclusive.svg: ' "$said" || fail "not noticed: $change: $(cat "$said")"
	done
	tr '\0' '\1' <paper/figures/greet.gotrace >"$work/greet.gotrace"
	! ci/check-figures.py "$build/gotrace" "$work/greet.gotrace" >"$said" && grep -q 'cannot read it' "$said" || fail "not noticed: a damaged recording: $(cat "$said")"
	PYTHONPATH=ci python3 - >"$said" <<-'END' || { cat "$said"; fail "what is expected of a recording is not compared"; }
		import importlib
		tires = importlib.import_module("kick-the-tires")
		rows = {"a": {"calls": 2, "total_corrected_ns": 2000}, "b": {"calls": 1, "total_corrected_ns": 5}}
		svg = tires.chart("t", "ns", {(name, "all"): (row["total_corrected_ns"],) * 3 for name, row in rows.items()})
		right = {"a": (2, 1000), "b": (1, 0)}
		assert not list(tires.wrong(rows, right, svg))
		for expected in ({"a": (3, 1000), "b": (1, 0)}, {"a": (2, 4000), "b": (1, 0)}, {"a": (2, 1000)}, {**right, "c": (1, 0)}):
		    assert list(tires.wrong(rows, expected, svg)), expected
		assert list(tires.wrong({**rows, "b": {"calls": 1, "total_corrected_ns": 6}}, right, svg))
	END
	ci/check-examples.py "$build/gotrace" >"$said" || { cat "$said"; fail "not right as it stands"; }
	for change in 's/ 63\.8% / 36.8% /' 's/^22113 events/22131 events/' '/^ 4\.92s/d' 's/readme-pid/greet/' '/^<!-- of /d'; do
		sed "$change" README.md >"$work/README.md"
		! cmp -s README.md "$work/README.md" || fail "nothing to break: $change"
		! ci/check-examples.py "$build/gotrace" "$work/README.md" >"$said" || fail "not noticed: $change"
	done
}
try "one changed digit in a document, or cell in results, is noticed, and another run is one edit" documents
try "a picture that is not what the report says is noticed" figures
try "another recording behind a picture or an example is noticed, and a changed digit of an example" recordings
totals
