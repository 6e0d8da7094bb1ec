#!/bin/bash
# Tests of what experiments share: tables of rows, the comparison of regress-cost, running all of them. Needs no root, and the
# build ($O, build).
# Tests are called by name, and fail where anything before does.
# shellcheck disable=SC2317,SC2015,SC2016
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${O:-$top/build}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
cd "$top" || exit 1
fail() { echo "$*"; exit 1; }

# ended FOLDER [LINE...]: its environment.txt, of a run that has ended
ended() {
	printf '%s\n' "${@:2}" 'load_at_end: 0.1 0.1 0.1' >"$1/environment.txt"
}
# tables_with AWK: what is computed and printed of rows with known medians, and what is refused
tables_with() {
	local dir=$work/tables
	rm -rf "$dir" && mkdir -p "$dir/run" "$dir/bin" && cd "$dir" && ln -s "$(command -v "$1")" bin/awk || exit
	{
		echo size,round,discarded,variant,ns,events,bytes
		echo 1,0,1,slow,1,1,1
		for round in 1 2 3 4 5; do
			echo "1,$round,0,slow,$((2000 * round + (round == 5 ? 4000 : 0))),10,4000000000"
			echo "1,$round,0,plain-again,$((1000 * round)),10,4000000000"
			echo "1,$round,0,plain,$((1000 * round)),10,4000000000"
			echo "2,$round,0,slow,,,"
			echo "2,$round,0,plain,0,0,7"
		done
	} >run/raw.csv
	cat >derive <<-'END'
		. "$top/experiments/rounds.sh"
		begin_derive "$@"
		compare_rows plain ns/events bytes
		table 'size|variant' 'ns/events|ns|1|%.1f;bytes|GB|1e9|%.2f' ns/events
	END
	derive() { PATH=$dir/bin:$PATH top=$top O=$build sh -e derive run; }
	echo 'variants: plain slow' >run/environment.txt
	! derive >said 2>&1 && grep -q 'run is of a run that has not ended; RESUME=run goes on with it' said && [ ! -e run/summary.csv ] ||
		fail "of a run that has not ended: $(cat said)"
	ended run 'variants: plain slow'
	derive >said || fail "it fails: $(cat said)"
	diff said - <<-'END' || fail "another table"
		Medians of 5 rounds with bootstrap 95 % intervals, after one that is discarded.

		| size | variant | ns | GB | times |
		|---|---|--:|--:|--:|
		| 1 | plain | 300.0 (100.0 to 500.0) | 4.00 |  |
		| 1 | plain-again | 300.0 (100.0 to 500.0) | 4.00 | 1.00 (1.00 to 1.00) |
		| 1 | slow | 600.0 (200.0 to 1400.0) | 4.00 | 2.00 (2.00 to 2.80) |
		| 2 | plain | – | 0.00 |  |
	END
	ended run 'variants: plain slow' 'quick: a trial'
	derive >said && grep -qF '**A trial, not a result.**' said || fail "not said that it is a trial"
	sed -i 's,ns/events bytes,ns/calls,' derive
	! derive >said 2>&1 && grep -q 'raw.csv has no ns/calls' said || fail "a column that is not there: $(cat said)"
}
tables() {
	local awk
	for awk in mawk gawk; do
		! command -v "$awk" >/dev/null || tables_with "$awk" || exit
	done
}

# costs FOLDER INLINE-NS: rows of regress-cost, of loops in which a call costs so much
costs() {
	mkdir -p "$1"
	ended "$1" 'gotrace: gotrace 1' 'kernel: Linux' 'cpu: none' 'variants: plain inline' "earlier: $3"
	{
		echo go,round,discarded,variant,calls,wall_ns,cpu_ns,events,lost_events
		for round in 0 1 2 3 4 5; do
			for go in 1.22.0 1.26.8; do
				echo "$go,$round,$((round == 0)),plain,100,0,$((400 + round)),0,0"
				echo "$go,$round,$((round == 0)),plain-again,100,0,$((402 - round)),0,0"
				echo "$go,$round,$((round == 0)),inline,10,0,$((40 + 10 * ($2 + round % 2))),20,0"
			done
		done
	} >"$1/raw.csv"
}
regress() {
	local dir=$work/costs
	export O=$build
	costs "$dir/a" 20 none
	costs "$dir/b" 20 a
	costs "$dir/c" 30 b
	costs "$dir/d" 20 gone
	for run in a b c; do "$top/experiments/regress-cost/derive.sh" "$dir/$run" || fail "$run is not derived"; done
	grep -q 'no earlier run' "$dir/a/summary.md" || fail "nothing said of no earlier run"
	[ "$(grep -c '| the same within intervals |' "$dir/b/summary.md")" = 4 ] || fail "the same: $(cat "$dir/b/summary.md")"
	[ "$(grep -c '^| 1.2.* | inline | .* | dearer |' "$dir/c/summary.md")" = 2 ] || fail "dearer: $(cat "$dir/c/summary.md")"
	grep -q '^| 1.26.8 | 4.0 (4.0 to 4.0) | -0.0 (-0.1 to 0.0) | 30.9 (30.0 to 31.0) |' "$dir/c/summary.md" || fail "other medians: $(cat "$dir/c/summary.md")"
	! "$top/experiments/regress-cost/derive.sh" "$dir/d" 2>"$work/said" && grep -q 'gone, which .* is compared with, is not there' "$work/said" || fail "compared with nothing"
}

# Rows of several files, and large ones, are packed when a run has ended, stay the same rows, and are derived from as if they were not.
packed() {
	local dir=$work/results/regress-cost rows=$top/experiments/rows.sh
	costs "$dir/few" 20 none && cp -r "$dir/few" "$dir/large" && cp -r "$dir/few" "$dir/many" && touch "$dir"/{few/summary,many/a}.csv
	awk '{ print } NR > 1 && $0 ~ /^1.26.8,0,/ { for (i = 0; i < 5000; i++) print }' "$dir/few/raw.csv" >"$dir/large/raw.csv"
	cp -r "$dir/large" "$dir/same"
	sed -i '/^load_at_end/d' "$dir/many/environment.txt"
	! "$rows" --pack "$dir/many/" 2>"$work/said" && grep -q 'many/ is of a run that has not ended' "$work/said" || fail "packed before its end"
	ended "$dir/many" 'variants: plain inline'
	"$rows" --pack "$dir"/{few,large,many,same}/ || fail "not packed"
	"$rows" --pack "$dir"/{few,large,many,same}/ || fail "not twice"
	[ "$(cd "$dir" && echo few/* large/* many/* | tr ' ' '\n' | grep -v environment | paste -sd' ')" = \
		'few/raw.csv few/summary.csv large/rows.tar.zst many/rows.tar.zst' ] || fail "what is packed: $(ls "$dir"/*)"
	cmp "$dir/large/rows.tar.zst" "$dir/same/rows.tar.zst" || fail "the same rows are other bytes"
	"$rows" "$dir/many/raw.csv" | cmp - "$dir/few/raw.csv" && "$rows" "$dir/few/raw.csv" | cmp - "$dir/few/raw.csv" || fail "other rows"
	! "$rows" "$dir/many/c.csv" 2>/dev/null && ! "$rows" "$dir/few/c.csv" 2>/dev/null || fail "rows that are nowhere"
	"$rows" "$dir/large/raw.csv" >"$dir/same/raw.csv"
	! "$rows" --pack "$dir/same" 2>"$work/said" && grep -q 'same has rows.tar.zst and beside it raw.csv' "$work/said" || fail "rows twice: $(cat "$work/said")"
	rm "$dir/same/rows.tar.zst"
	for run in same large; do RESULTS=$work/results experiments/derive.sh "$dir/$run" >"$work/said" || fail "$run is not derived: $(cat "$work/said")"; done
	(cd "$dir/same" && [ "$(echo *)" = 'environment.txt raw.csv summary.csv summary.md' ] && cmp summary.csv ../large/summary.csv) || fail "derived from packed rows otherwise"
	[ "$(cd "$dir/large" && echo *)" = 'environment.txt rows.tar.zst summary.csv summary.md' ] || fail "what is left: $(ls "$dir/large")"
	echo nothing >"$dir/large/rows.tar.zst"
	! RESULTS=$work/results experiments/derive.sh "$dir/large" >"$work/said" 2>&1 || fail "derived from a broken archive"
}

# Packages that the README of overhead names are those that its script traces.
selections() {
	local at=$top/experiments/overhead
	sed -n 's/^\t\(greet\|greet-2s\|oto\|oto-main\|ants\)) .*select=(\([^)]*\)).*/\1 \2/p' "$at/run.sh" | sed 's/ -p / /; s/ -p /, /g' | sort >"$work/traced"
	sed -n '/^| program | traced packages |$/,/^$/s/^| \([a-z0-9-]*\) | \([^|]*\) |$/\1 \2/p' "$at/README.md" | grep -v '^program \|^-' | sort | diff - "$work/traced" && [ "$(wc -l <"$work/traced")" = 5 ]
}

# The table of rows and sources in CONTRIBUTING.md: each experiment has a row, each word is a row or the beginning of a path that is here,
# and each folder of core is in it, but for stats: what is derived of rows is derived anew.
sources() {
	local table word
	table=$(sed -n '/^<!-- rows and sources/,/^<!-- end of rows/s/^| *\([a-z-]*\) *| *\(.*[^ ]\) *|$/\1 \2/p' "$top/CONTRIBUTING.md" | tail -n +2)
	for word in $(ls -d "$top"/experiments/*/run.sh | sed 's,/run.sh$,,; s,.*/,,'); do
		grep -q "^$word " <<<"$table" || fail "$word has no row"
	done
	for word in $(sed 's/^[^ ]* //' <<<"$table" | tr ' ' '\n' | sed 's/^!//' | sort -u); do
		grep -q "^$word " <<<"$table" || compgen -G "$top/$word*" >/dev/null || fail "$word is neither a row nor here"
	done
	for word in $(ls -d "$top"/core/*/ | sed "s,$top/,,; s,/$,," | grep -vx core/stats); do
		grep -q " $word\(/\| \|$\)" <<<"$table" || fail "$word is in no row"
	done
}

# Which changes make whose rows old.
made() {
	local tree=$work/made
	mkdir -p "$tree"/experiments/{one,two/server,three} "$tree"/fixtures/programs/{alpha,go1.23/beta}
	git -C "$tree" init -q
	printf '%s\n' experiments/two/server 'fixtures/programs/build.sh alpha' >"$tree/experiments/one/run.sh"
	echo '. ../two/programs.sh' >"$tree/experiments/three/run.sh"
	touch "$tree"/experiments/two/{run.sh,server/main.go} "$tree"/experiments/{all.sh,rounds.sh}
	mkdir "$tree/core" && touch "$tree"/core/{a.c,a_test.c,a_fixture.c,a_fixture.h,a_fuzz.c}
	touch "$tree"/fixtures/programs/{build.sh,alpha/main.go,go1.23/beta/main.go}
	echo 'beta' >"$tree/experiments/two/programs.sh"
	commit() { git -C "$tree" add -A && git -C "$tree" -c user.name=test -c user.email=test@test commit -qm "$1"; }
	same() { # FILE EXPERIMENT: its rows are as new after a change of FILE
		# shellcheck source=../experiments/provenance.sh
		(top=$tree && . experiments/provenance.sh && commit before
			echo changed >>"$tree/experiments/$1" && commit after && [ "$(made_with HEAD~1 "$2")" = "$(made_with HEAD "$2")" ])
	}
	for pair in 'one/run.sh one' 'two/server/main.go one' 'two/server/main.go two' 'two/run.sh two' 'two/run.sh three' 'two/programs.sh three' 'rounds.sh two' '../core/a.c two' \
		'../fixtures/programs/build.sh two' '../fixtures/programs/alpha/main.go one' '../fixtures/programs/go1.23/beta/main.go two' \
		'../fixtures/programs/go1.23/beta/main.go three'; do
		! same "${pair% *}" "${pair#* }" || fail "$pair: counts for nothing"
	done
	for pair in 'two/run.sh one' 'three/run.sh two' 'one/run.sh three' 'all.sh two' 'rows.sh two' '../core/a_test.c two' '../core/a_fixture.c two' '../core/a_fixture.h two' \
		'../core/a_fuzz.c two' '../fixtures/programs/alpha/main.go two' \
		'../fixtures/programs/go1.23/beta/main.go one'; do
		same "${pair% *}" "${pair#* }" || fail "$pair: makes rows old"
	done
	# What CONTRIBUTING.md says of an experiment: names of other rows, and what is left out; nothing of one that it does not name.
	mkdir "$tree"/core/{deep,other} && touch "$tree"/core/{deep/a.c,deep/b.c,other/c.c} && printf 'CFLAGS += -O2\ntest:\n' >"$tree/Makefile"
	printf '| %s | %s |\n' rows sources reading 'core/deep' two 'reading !core/deep/b' beside 'core/other' |
		sed '1i <!-- rows and sources: of a test -->' | sed '$a <!-- end of rows and sources -->' >"$tree/CONTRIBUTING.md"
	for pair in '../core/deep/a.c two' 'two/run.sh two' 'rounds.sh two' '../core/a.c three' '../core/other/c.c three'; do
		! same "${pair% *}" "${pair#* }" || fail "$pair: counts for nothing, with a table"
	done
	for pair in '../core/deep/b.c two' '../core/other/c.c two' '../core/a.c two' '../Makefile two'; do
		same "${pair% *}" "${pair#* }" || fail "$pair: makes rows old, with a table"
	done
	(top=$tree && . experiments/provenance.sh && sed -i 's/-O2/-O3/' "$tree/Makefile" && commit flags && [ "$(made_with HEAD~1 two)" != "$(made_with HEAD two)" ]) ||
		fail "flags of the compiler count for nothing"
	rm "$tree/CONTRIBUTING.md"
	# What is listed as the same code: two changes, one after the other, and a new file.
	blob() { git -C "$tree" rev-parse "$1:core/$2"; }
	echo one >"$tree/core/a.c" && commit one && echo two >"$tree/core/a.c" && commit two && echo three >"$tree/core/a.c" && touch "$tree/core/b.c" && commit three
	listed() { # LINE...: with these, rows of two commits ago are as new
		printf '%s\n' '# a comment' "$@" >"$tree/experiments/unchanged.txt"
		(top=$tree && . experiments/provenance.sh && commit listed && [ "$(made_with HEAD two)" = "$(made_with "$first" two)" ])
	}
	local first a3 lines
	first=$(git -C "$tree" rev-parse HEAD~2) a3=$(blob HEAD a.c)
	lines=("core/a.c $(blob HEAD~2 a.c) $(blob HEAD~1 a.c) why" "core/a.c $(blob HEAD~1 a.c) $a3 why" "core/b.c - $(blob HEAD b.c) why")
	listed "${lines[@]}" || fail "what is listed makes rows old"
	! listed "${lines[@]:1}" && ! listed "${lines[0]}" "${lines[2]}" && ! listed "${lines[@]:0:2}" && ! listed || fail "a part is listed, and rows are as new"
	echo four >"$tree/core/a.c"
	! listed "${lines[@]}" || fail "another change is not listed, and rows are as new"
}
# Every kind of row that was ever stored.
safety() {
	mkdir "$work/safety" && tar -C "$work/safety" -xf results/springboard-safety/older-runs.tar.zst && cp -r results/springboard-safety/2* "$work/safety" || exit
	[ "$(ls "$work/safety" | wc -l)" -ge 10 ] || fail "runs are missing"
	for run in "$work"/safety/2*/; do experiments/rows.sh --unpack "$run" >/dev/null || fail "rows of $run are not unpacked"; done
	experiments/springboard-safety/summary.sh "$work"/safety/2*/ | diff results/springboard-safety/summary.md - ||
		fail "the stored summary is not what the rows make"
}
# A Makefile with experiments that pass, fail, and do not end.
made_up() {
	cat >"$work/Makefile" <<-'END'
		.RECIPEPREFIX = >
		experiment-good:
		> @: experiments/first/run.sh; mkdir -p "$$RESULTS/1"; echo fine >"$$RESULTS/1/rows"
		experiment-bad:
		> @echo this is wrong >&2; exit 3 # experiments/second/run.sh
		experiment-long-run:
		> @: experiments/third/run.sh; sleep $(SECONDS_EACH)
		regress-cost:
		> @: experiments/fourth/run.sh
	END
}
measured_good() { ended "$work/all/first/1" 'target: good' "commit: $(git rev-parse HEAD)" "sources: $(. experiments/provenance.sh; sources_of HEAD)"; }
run_all() { MAKEFLAGS='' MAKEFILE=$work/Makefile O=$work/o QUICK=1 RESULTS_TOP=$work/all "$@" >"$work/said" 2>&1; }
everything() {
	made_up
	! run_all env TIMEOUT=2 experiments/all.sh || fail "it passes though one fails"
	sed -n 's/, [0-9]* s\( (.*\)\{0,1\}$//p' "$work/said" | diff - <(printf '%s\n' 'ok - good' 'not ok - bad' 'not ok - long-run' 'ok - regress-cost') || fail "$(cat "$work/said")"
	grep -q '^#   this is wrong' "$work/said" && grep -q '^#   stopped after 2 seconds' "$work/said" || fail "not said why: $(cat "$work/said")"
	[ "$(tail -n 1 "$work/said")" = '2 passed, 2 failed, 0 skipped' ] || fail "$(tail -n 1 "$work/said")"
	[ -e "$work/all/first/1/rows" ] || fail "its rows are not where they were asked for"
	run_all env LONG=0 WITHOUT=bad experiments/all.sh || fail "one fails: $(cat "$work/said")"
	run_all env EXPERIMENTS='good regress-cost' experiments/all.sh && [ "$(grep -c '^ok' "$work/said")" = 2 ] || fail "not two"
	run_all env EXPERIMENTS=none experiments/all.sh
	[ $? = 2 ] || fail "one that is not there"
	# What was stopped goes on: rows that are there and complete are not measured again.
	measured_good
	run_all env MISSING=1 EXPERIMENTS='good regress-cost' experiments/all.sh && grep -q '^ok - good # SKIP .*/first/1 has them' "$work/said" &&
		grep -q '^ok - regress-cost, ' "$work/said" || fail "measured again: $(cat "$work/said")"
	sed -i 's/^sources: .*/sources: other/' "$work/all/first/1/environment.txt" # of others, of which none counts here
	run_all env MISSING=1 EXPERIMENTS=good experiments/all.sh && grep -q '^ok - good # SKIP' "$work/said" || fail "measured again: $(cat "$work/said")"
	measured_good
	for gone in target 'commit\|sources' load_at_end; do
		sed "s/^\($gone\): .*/\1: other/; /^load_at_end: other/d" "$work/all/first/1/environment.txt" >"$work/environment"
		mkdir -p "$work/all/first/2" && mv "$work/environment" "$work/all/first/2/environment.txt" && rm -f "$work/all/first/1/environment.txt"
		run_all env MISSING=1 EXPERIMENTS=good experiments/all.sh && grep -q '^ok - good, ' "$work/said" || fail "not measured, of another $gone"
		measured_good
	done
	# ... but a trial is no result.
	for kind in forced quick; do
		measured_good
		echo "$kind: yes" >>"$work/all/first/1/environment.txt"
		run_all env MISSING=1 EXPERIMENTS=good experiments/all.sh && grep -q '^ok - good # SKIP' "$work/said" || fail "$kind: measured again by a trial"
		run_all env -u QUICK MISSING=1 EXPERIMENTS=good QUIET_WAIT=0 experiments/all.sh && grep -q '^ok - good, ' "$work/said" || fail "$kind: taken for a result"
	done
	# What is forced is in build/trial, where nobody says otherwise.
	mkdir -p "$work/o/trial" && cp -r "$work/all/first" "$work/o/trial/"
	run_all env -u QUICK -u RESULTS_TOP RESULTS="$work/none" FORCE=1 MISSING=1 EXPERIMENTS=good experiments/all.sh &&
		grep -q '^ok - good # SKIP .*/o/trial/first/1 has them' "$work/said" || fail "what was forced is not found: $(cat "$work/said")"
	# Each target of the real Makefile is found.
	run_all env MAKEFILE=Makefile EXPERIMENTS="$(sed -nE 's/^(experiment-([a-z-]+)|(regress-cost)):.*/\2\3/p' Makefile | paste -sd' ')" \
		WITHOUT="$(sed -nE 's/^(experiment-([a-z-]+)|(regress-cost)):.*/\2\3/p' Makefile | paste -sd' ')" experiments/all.sh
	[ $? = 1 ] && ! grep 'there is no experiment' "$work/said" || fail "not each of the Makefile is found"
}
host() {
	made_up
	mkdir -p "$work/bin"
	printf '#!/bin/sh\necho "${ID:-0}"\n' >"$work/bin/id"
	printf '#!/bin/sh\necho told\nexit "${DOCTOR:-0}"\n' >"$work/bin/gotrace"
	chmod +x "$work/bin/id" "$work/bin/gotrace"
	on_host() { run_all env PATH="$work/bin:$PATH" GOTRACE="$work/bin/gotrace" HOST="$work/host" EXPERIMENTS=good "$@" experiments/host.sh; }
	! on_host ID=1000 && [ "$(wc -l <"$work/said")" = 1 ] && grep -q 'needs root' "$work/said" || fail "without root: $(cat "$work/said")"
	! on_host DOCTOR=1 && [ "$(wc -l <"$work/said")" = 1 ] && grep -q 'cannot trace here' "$work/said" || fail "without BPF: $(cat "$work/said")"
	[ ! -e "$work/host" ] || fail "a folder was made"
	on_host || fail "it fails: $(cat "$work/said")"
	tar -tf "$work"/host.tar.* | LC_ALL=C sort | diff - <(printf 'host/%s\n' '' doctor.txt first/ first/1/ first/1/rows lscpu.txt outcome.txt) || fail "what is packed"
	! on_host EXPERIMENTS=bad HOST="$work/host2" || fail "it passes though one fails"
	[ -n "$(ls "$work"/host2.tar.*)" ] || fail "what failed is not packed"
}

try "rows become tables, with mawk and gawk, and not those of a run that has not ended" tables
try "what a call costs is set against the earlier run" regress
try "rows that are many or large are packed, and derived from all the same" packed
try "what a document says that an experiment traces is what it traces" selections
try "the table of rows and their sources names what is here" sources
try "rows are old when what made them has changed" made
try "the summary of all safety runs is what their rows make" safety
try "all experiments run, one that fails does not stop them, and it is said" everything
try "the experiments of another machine are packed, and refused without root or BPF" host
totals
