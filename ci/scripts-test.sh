#!/bin/bash
# Tests of the Makefile and of the scripts in ci. Needs no root, and the build ($O, build).
# Tests are called by name, and fail where anything before does; what they set is used elsewhere.
# shellcheck disable=SC2317,SC2015,SC2034
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(realpath "${O:-$top/build}")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# shellcheck source=totals.sh
. "$top/ci/totals.sh"
cd "$top" || exit 1
fail() { echo "$*"; exit 1; }

# What a header's change makes anew is the same however the build folder is spelled. A build of two spellings had
# objects with different ideas of a struct.
compiled() { make --no-print-directory -n -W core/base/log.h NODEPS=1 O="$1" all | grep -c "'CC'"; }
spelled() {
	make --no-print-directory -s NODEPS=1 O="$build" all || fail "it cannot be built"
	local absolute relative
	absolute=$(compiled "$build") relative=$(compiled "$(realpath --relative-to=. "$build")")
	[ "$absolute" -gt 50 ] && [ "$absolute" = "$relative" ] || fail "$absolute files are compiled, or $relative"
}

# ends LINE STATUS WANT: a script whose log ends with LINE, and status, adds these totals.
ends() {
	echo "$1" >"$work/log"
	[ "$(passed=0 failed=0 skipped=0; add_script "$work/log" "$2"; totals)" = "$3" ] || fail "'$1' with status $2"
}
adding() {
	ends '2 passed, 0 failed, 1 skipped' 0 '2 passed, 0 failed, 1 skipped'
	ends '2 passed, 3 failed, 1 skipped' 1 '2 passed, 3 failed, 1 skipped'
	ends '2 passed, 0 failed, 1 skipped' 1 '2 passed, 1 failed, 1 skipped'
	ends 'no totals' 0 '1 passed, 0 failed, 0 skipped'
	ends 'no totals' 1 '0 passed, 1 failed, 0 skipped'
}
statuses() {
	(passed=1 failed=0 skipped=0; totals) || fail "one passed"
	(passed=0 failed=0 skipped=1; totals) || fail "one skipped"
	! (passed=1 failed=1 skipped=0; totals) || fail "one failed"
	! (passed=0 failed=0 skipped=0; totals) || fail "there was none"
}
try "totals of a script are added, and one that fails counts" adding
try "the status is that of the totals" statuses

# shellcheck source=circles-test.sh
. ci/circles-test.sh
# shellcheck source=prose-test.sh
. ci/prose-test.sh

installed() {
	make --no-print-directory NODEPS=1 O="$build" DESTDIR="$work/root" PREFIX=/usr install
	(cd "$work/root" && find . -type f | LC_ALL=C sort) >"$work/files"
	diff "$work/files" - <<-'END'
		./usr/bin/gotrace
		./usr/bin/gotrace-perun-collect
		./usr/share/bash-completion/completions/gotrace
		./usr/share/fish/vendor_completions.d/gotrace.fish
		./usr/share/man/man1/gotrace-agent.1
		./usr/share/man/man1/gotrace-diff.1
		./usr/share/man/man1/gotrace-dump.1
		./usr/share/man/man1/gotrace-export.1
		./usr/share/man/man1/gotrace-goroutines.1
		./usr/share/man/man1/gotrace-overhead.1
		./usr/share/man/man1/gotrace-plan.1
		./usr/share/man/man1/gotrace-record.1
		./usr/share/man/man1/gotrace-report.1
		./usr/share/man/man1/gotrace-sample.1
		./usr/share/man/man1/gotrace-top.1
		./usr/share/man/man1/gotrace.1
		./usr/share/zsh/site-functions/_gotrace
	END
	"$work/root/usr/bin/gotrace" --version
}

# shellcheck source=deps-test.sh
. ci/deps-test.sh

# completes WANTED WORD...: these words of WANTED, with blanks between, complete the last WORD. As bash does, --by=x is
# three words.
completes() {
	local want=$1
	shift
	COMP_WORDS=(gotrace "$@") COMP_CWORD=$#
	_gotrace "$build/gotrace" "${!#}" "${COMP_WORDS[-2]}"
	diff <(tr ' ' '\n' <<<"$want" | sort) <(printf '%s\n' "${COMPREPLY[@]}" | sort -u) || fail "gotrace $*"
}
completion() {
	cd "$work" || exit
	# shellcheck source=../core/cli/gotrace.bash-completion
	. "$top/core/cli/gotrace.bash-completion"
	completes 'record report' re
	completes '--focus= --fold --format= --from=' report --f
	completes '--pid= --probe= --package=' record --p
	completes 'call function goroutine label library path process program reason thread' report --by =
	completes 'path process program' report --by = p
	completes '--by=path --by=process --by=program' report --by=p
	completes 'path process program' report -b p
	completes 'pprof perfetto perun' export --format = p
	completes 'auto multi perf' record --attach =
	completes 'auto inline springboard emulated thesis' record --probe =
	completes 'root' record --user = roo
	completes '' record --buffer =
	completes '' export -o ''
	completes '' report tra
	completes 'basename' record -- basenam
	completes 'basename' overhead -r 3 -- basenam
	completes '--ret= --rets= --ring= --rings= --runs= --record-signals' overhead --r
	completes 'max mean morestack' report --sort = m
	completes 'off-cpu' report --sort = o
	completes 'auto always never' report --color =
	local gofmt
	gofmt=$(PATH=$PATH:/usr/local/go/bin go env GOROOT 2>/dev/null)/bin/gofmt
	if [ -x "$gofmt" ]; then # functions and packages of the binary on the line, wherever it stands
		completes 'main.processFile' plan "$gofmt" -f main.processF
		completes 'main.processFile' plan "$gofmt" --exclude = main.processF
		completes 'go/scanner' plan "$gofmt" -p go/sca
		completes 'main.processFile' record --exe "$gofmt" -f main.processF
		completes 'main.processFile' overhead --exe "$gofmt" -f main.processF
	fi
	[ -z "$(ls "$work"/'?' 2>/dev/null)" ] || fail "a file was written"
}
try "what make install installs" installed
# What zsh and fish make of the same, where they are installed.
completion_zsh() {
	command -v zsh >/dev/null || return 0
	cd "$work" || exit
	cat >complete.zsh <<-'END'
		compdef() { :; }
		compset() { :; }
		compadd() { [[ $1 == -a ]] && print -l -- ${(P)2} || print -l -- ${@:#-*}; }
		_files() { :; }
		source $1
		shift
		words=("$@") CURRENT=$#
		_gotrace
	END
	for line in 'report|' 'function|report --by=' 'go/scanner|plan GOFMT -p go' 'main.processFile|plan GOFMT -f main'; do
		words=${line#*|} gofmt=$(PATH=$PATH:/usr/local/go/bin go env GOROOT 2>/dev/null)/bin/gofmt
		case $words in *GOFMT*) [ -x "$gofmt" ] || continue ;; esac
		IFS=' ' read -ra words <<<"${words/GOFMT/$gofmt}"
		[ ${#words[@]} -gt 0 ] || words=('')
		zsh -f complete.zsh "$top/core/cli/gotrace.zsh-completion" "$build/gotrace" "${words[@]}" >found 2>said
		grep -qx -- "${line%%|*}" found || { cat said; fail "zsh: no ${line%%|*} for ${words[*]}"; }
		[ ! -s said ] || fail "zsh: $(cat said)"
	done
}
completion_fish() {
	command -v fish >/dev/null || return 0
	cd "$work" || exit
	for line in 'report|' 'function|report --by=' '--focus=|report --fo' 'go/scanner|plan GOFMT -p go/sc'; do
		words=${line#*|} gofmt=$(PATH=$PATH:/usr/local/go/bin go env GOROOT 2>/dev/null)/bin/gofmt
		case $words in *GOFMT*) [ -x "$gofmt" ] || continue ;; esac
		PATH=$build:$PATH HOME=$work fish -c "source $top/core/cli/gotrace.fish; complete -C 'gotrace ${words/GOFMT/$gofmt}'" >found 2>said
		grep -q -- "${line%%|*}" found || { cat said; fail "fish: no ${line%%|*} for $words"; }
	done
}
# A repository with sources, and a folder of results that says what they were.
repository() {
	mkdir -p "$work/repo/core" "$work/repo/bpf" "$work/repo/ci" && cd "$work/repo" || exit
	cp -r "$top/experiments" . && cp "$top/ci/check-results.sh" ci
	echo one >core/a.c
	echo all: >Makefile
	git init -q . && commit_all
}
commit_all() { git add -A . && git -c user.name=test -c user.email=test@localhost commit -qm test; }
# measured [NAME=VALUE...]: an experiment of one row; its folder is that of $out
measured() {
	env O="$work/o" "$@" sh -c '
		top=$PWD
		. experiments/provenance.sh
		may_measure test
		begin_run
		note rounds 3
		mkdir "$out/said" "$out/empty" && echo yes >"$out/said/b" && echo no >"$out/said/a" && echo all >"$out/told.txt"
		end_run
		echo "$out"' 2>"$work/said"
}
# loads LOAD...: those with which nothing is measured
loads() {
	sh -c '
		. experiments/provenance.sh
		for load; do ! too_busy "$load" || echo "$load"; done' sh "$@" | paste -sd' '
}
# is_trial FOLDER: it is none that the sources have
is_trial() {
	case $1 in "$work"/o/trial/test/*) ;; *) fail "a trial is in $1" ;; esac
	grep -q "a trial, no result: into $work/o/trial/test$" "$work/said" || fail "not said where: $(cat "$work/said")"
	[ ! -e results ] && ci/check-results.sh >"$work/rows" && [ -z "$(git status --porcelain)" ] || fail "a trial changes the sources' folder"
}
kept_as_result() { mkdir -p results/test && mv "$1" results/test/; } # FOLDER
provenance() {
	local out
	repository
	printf '#!/bin/sh\necho gotrace 0.5-3-g%s\n' "$(git rev-parse --short HEAD)" >"$work/right"
	printf '#!/bin/sh\necho gotrace 1234567\n' >"$work/wrong"
	chmod +x "$work/right" "$work/wrong"
	! measured GOTRACE="$work/wrong" && grep -q 'refused: wrong was built from other sources (1234567)' "$work/said" || { cat "$work/said"; fail "of another gotrace"; }
	[ ! -e results ] || fail "a folder was made"
	out=$(measured FORCE=1 GOTRACE="$work/wrong") || fail "though forced: $(cat "$work/said")"
	is_trial "$out"
	grep -q '^forced: wrong was built from other sources' "$out/environment.txt" || fail "not said that it was forced"
	kept_as_result "$out"
	! ci/check-results.sh >"$work/said" && grep -q "not ok - test/.* was forced: wrong was" "$work/said" || fail "forced, and right"
	rm -rf results
	out=$(measured QUICK=1 RESULTS=results/test GOTRACE="$work/right") || fail "not with QUICK: $(cat "$work/said")"
	is_trial "$out"
	grep -q '^forced: .*QUICK=1, a trial$' "$out/environment.txt" || fail "not said that it is a trial"
	sed -i '/^load_at_end: /d' "$out/environment.txt"
	[ "$(measured QUICK=1 RESUME="$out" GOTRACE="$work/right")" = "$out" ] || fail "a trial does not go on: $(cat "$work/said")"
	out=$(measured QUICK=1 RESULTS="$work/mine") && [ "${out%/*}" = "$work/mine" ] || fail "not where it was asked for: $out"
	kept_as_result "$out"
	! ci/check-results.sh >"$work/said" || fail "a trial is a result"
	sed -i '/^forced: /d' results/test/*/environment.txt # the machine may be busy
	! ci/check-results.sh >"$work/said" && grep -q 'not ok - test/.* is a trial (QUICK=1)' "$work/said" || fail "a trial is a result: $(cat "$work/said")"
	rm -rf results

	out=$(measured FORCE=1 GOTRACE="$work/right") || fail "not with the right one: $(cat "$work/said")"
	case $out in "$PWD"/results/test/*) ;; *) is_trial "$out" && kept_as_result "$out" && out=$(echo results/test/*) ;; esac # of a busy machine
	grep -qx 'rounds: 3' "$out/environment.txt" && grep -q '^steal_ticks: ' "$out/environment.txt" &&
		[ "$(grep -cE '^yardstick_at_(start|end): [0-9]+[.][0-9]+ ns computing, [0-9]+ ns memory$' "$out/environment.txt")" = 2 ] || fail "not noted"
	[ "$(cd "$out" && echo *)" = 'environment.txt logs.tar.zst' ] &&
		[ "$(tar -tf "$out/logs.tar.zst" | paste -sd' ')" = 'empty/ said/ said/a said/b told.txt' ] || fail "not packed: $(ls -R "$out")"
	mkdir "$work/packed" && tar -C "$work/packed" -xf "$out/logs.tar.zst" && touch "$work/packed/said/a" &&
		(top=$PWD && . experiments/provenance.sh && pack "$work/packed") && cmp "$work/packed/logs.tar.zst" "$out/logs.tar.zst" || fail "the same files packed otherwise"
	[ "$(git status --porcelain)" = '?? results/' ] || fail "it leaves more than its folder: $(git status --porcelain)"
	loads 0.00 0.49 0.50 0.51 9.00 12.25 >"$work/said"
	echo 0.51 9.00 12.25 | diff - "$work/said" || fail "which loads are too high"
	sed -i '/^forced: a load/d' "$out/environment.txt" # the machine may be busy
	sed '/^load_at_end: /d' "$out/environment.txt" >"$work/environment" && cp "$work/environment" "$out/environment.txt"
	! measured QUICK=1 RESUME="$out" GOTRACE="$work/right" && grep -q 'RESUME: .* would be no result any more' "$work/said" || fail "a result goes on as a trial"
	cmp "$work/environment" "$out/environment.txt" || fail "it was changed"
	echo 'load_at_end: 0.1 0.1 0.1' >>"$out/environment.txt"
	ci/check-results.sh >"$work/said" || { cat "$work/said"; fail "not right"; }
	echo '## 1.0 (2026-01-01)' >CHANGELOG.md # a release is what must be fresh
	echo more >core/README.md
	commit_all
	ci/check-results.sh --fresh >"$work/said" || { cat "$work/said"; fail "a document is no source"; }
	mkdir experiments/test experiments/another && echo one >experiments/another/run.sh
	commit_all
	ci/check-results.sh --fresh >"$work/said" || { cat "$work/said"; fail "another experiment is none of its sources"; }
	echo '. ../another/run.sh' >experiments/test/run.sh
	commit_all
	! ci/check-results.sh --fresh >"$work/said" && grep -q "^not ok - .* is of other sources than HEAD's" "$work/said" || fail "its own script is one"
	echo '## 1.1 (not released)' | cat - CHANGELOG.md >"$work/changelog" && cp "$work/changelog" CHANGELOG.md
	ci/check-results.sh --fresh >"$work/said" && grep -q "^old - .* is of other sources than HEAD's" "$work/said" && grep -qx '1 old: .*' "$work/said" ||
		fail "old rows between releases: $(cat "$work/said")"
	sed -i 1d CHANGELOG.md
	git rm -rq experiments/test experiments/another && commit_all
	ci/check-results.sh --fresh >"$work/said" || { cat "$work/said"; fail "as it was"; }
	mkdir paper && echo "was = test/$(basename "$out"), older" >paper/runs
	! ci/check-results.sh --fresh >"$work/said" && grep -q "is of HEAD's sources, and paper/runs calls it older" "$work/said" || fail "older, and as fresh as HEAD"
	rm -r paper
	echo two >core/a.c
	! measured && grep -q 'refused: 1 changed files that are not committed' "$work/said" || fail "of a changed tree"
	commit_all
	ci/check-results.sh >"$work/said" || fail "not right any more: $(cat "$work/said")"
	! ci/check-results.sh --fresh >"$work/said" || fail "of other sources, and fresh"
	mkdir paper && echo "was = test/$(basename "$out"), older" >paper/runs
	ci/check-results.sh --fresh >"$work/said" || fail "though older: $(cat "$work/said")"
	sed -i 's/20/2/' paper/runs
	! ci/check-results.sh --fresh >"$work/said" || fail "another is older"
	rm -r paper
	# History that was written anew: the commit is gone, its sources are there. And a clone that has neither.
	cp "$out/environment.txt" "$work/environment"
	sed -i 's/^commit: .*/commit: 1234567890123456789012345678901234567890/' "$out/environment.txt"
	ci/check-results.sh >"$work/said" && grep -qx "ok - test/.*, whose commit is $(git rev-parse HEAD^) here" "$work/said" || fail "under another name: $(cat "$work/said")"
	sed -i 's/^sources: ./sources: x/' "$out/environment.txt"
	ci/check-results.sh >"$work/said" && grep -q '# SKIP is of commit' "$work/said" || fail "of sources that are not here: $(cat "$work/said")"
	! ci/check-results.sh --fresh >"$work/said" && grep -q 'not ok - test/.* is of commit' "$work/said" || fail "fresh, of sources that are not here"
	mv "$work/environment" "$out/environment.txt"
	sed -i 's/^sources: ./sources: x/' "$out/environment.txt"
	! ci/check-results.sh >"$work/said" && grep -q 'names sources that are not those of its commit' "$work/said" || fail "one digit changed"
}
# side_by_side DIE-AT [NAME=VALUE...]: an experiment of three rounds, two cases and two variants, which is killed in its run
# DIE-AT (0: in none). Prints its folder.
side_by_side() {
	env DIE_AT="$1" O="$build" RESULTS="$work/rounds" FORCE=1 SEED=7 WORK="$work" "${@:2}" bash -c '
		set -eu
		top=$PWD rounds=3
		. experiments/provenance.sh
		may_measure test
		begin_run
		echo "$out"
		. experiments/rounds.sh
		build_stats "$WORK"
		measure() { # CASE VARIANT ROUND ROW
			echo x >>"$WORK/runs"
			[ "$(wc -l <"$WORK/runs")" != "$DIE_AT" ] || kill -9 $$
			echo "$1 $2 $3 $4" >>"$WORK/order"
			[ "$2" = plain ] && echo "$((3 + $3))" || echo "$((6 + 2 * $3))"
		}
		[ -z "${BY_CASE:-}" ] || variants_of() {
			case $1 in a,*) echo plain plain-again traced traced-again ;; *) echo traced ;; esac
		}
		measure_rounds plain "plain traced" "${CASES:-a,1 b,2}" letter,number seconds
		end_run' 2>"$work/said"
}
rounds() {
	local whole part out
	cd "$work/repo" && cp -r "$top/core/stats" "$top/core/base" core/ && commit_all || fail "no repository"
	whole=$(side_by_side 0) || fail "it does not run: $(cat "$work/said")"
	[ "$(wc -l <"$whole/raw.csv")" = 25 ] || fail "rows: $(cat "$whole/raw.csv")"
	[ "$(head -n 1 "$whole/raw.csv")" = letter,number,round,discarded,variant,seconds ] || fail "columns"
	[ "$(grep -c '^[ab],[12],0,1,' "$whole/raw.csv")" = 6 ] || fail "round 0 is not there, or not discarded"
	[ "$(grep -c ',plain-again,' "$whole/raw.csv")" = 8 ] || fail "A/A is not measured"
	for round in 0 1 2 3; do grep "^a,1,$round," "$whole/raw.csv" | cut -d, -f5 | paste -sd' '; done | sort -u >"$work/orders"
	[ "$(wc -l <"$work/orders")" -ge 2 ] || fail "always one order: $(cat "$work/orders")"

	rm "$work/runs" # killed, with half a row, and gone on with: the same rows
	part=$(side_by_side 9) && fail "it was not killed"
	grep -q '^load_at_end: ' "$part/environment.txt" && fail "it seems to have ended"
	[ "$(wc -l <"$part/raw.csv")" = 9 ] || fail "not eight rows: $(cat "$part/raw.csv")"
	printf 'a,1,2' >>"$part/raw.csv"
	out=$(side_by_side 0 RESUME="$part" CASES=a,1) && fail "with other cases"
	grep -q "RESUME: cases was 'a,1 b,2', not 'a,1'" "$work/said" || fail "not said: $(cat "$work/said")"
	out=$(side_by_side 0 RESUME="$part" SEED=8) || fail "it does not go on: $(cat "$work/said")"
	[ "$out" = "$part" ] || fail "in another folder"
	diff "$whole/raw.csv" "$part/raw.csv" || fail "not the same rows"
	[ "$(wc -l <"$work/runs")" = 25 ] || fail "not only what was missing"
	out=$(side_by_side 0 RESUME="$part") && fail "it goes on when it has ended"
	grep -q 'RESUME: .* is of a run that has ended' "$work/said" || fail "not said: $(cat "$work/said")"

	out=$(side_by_side 0 BY_CASE=1) || fail "cases with variants of their own: $(cat "$work/said")"
	[ "$(cut -d, -f1,5 "$out/raw.csv" | LC_ALL=C sort | uniq -c | sed 's/^ *//' | paste -sd' ')" = \
		'4 a,plain 4 a,plain-again 4 a,traced 4 a,traced-again 4 b,traced 1 letter,variant' ] || fail "not the variants of each case"
	printf 'of,n\na,1\nb,2\na,3\n' >"$work/more"
	printf 'a,4\n' | (. experiments/rounds.sh && replace_rows "$work/more" a,)
	[ "$(paste -sd' ' "$work/more")" = 'of,n b,2 a,4' ] || fail "rows of a run that is repeated: $(cat "$work/more")"

	rm "$work/runs"
	part=$(side_by_side 3) && fail "it was not killed"
	echo three >core/a.c
	commit_all
	out=$(side_by_side 0 RESUME="$part") && fail "with other sources"
	grep -q "RESUME: sources was" "$work/said" || fail "not said: $(cat "$work/said")"

	mkdir "$work/ended" && cp "$part"/* "$work/ended"
	! (top=$PWD O=$build && . experiments/rounds.sh && begin_derive "$work/ended") 2>"$work/said" || fail "derived of a run that has not ended"
	grep -q 'has not ended; RESUME=' "$work/said" || fail "not said: $(cat "$work/said")"

	# What is computed of the rows: each traced run takes twice as long.
	awk -F, 'NR > 1 && !$4 { print $1 "," $2 "," $5 "," $3 "," $6 }' "$whole/raw.csv" >"$work/lines"
	"$work/stats" compare plain plain-again letter,number <"$work/lines" | sort >"$work/found"
	diff "$work/found" - <<-'END' || fail "other medians"
		a,1,plain,3,5,,,0,,,,base
		a,1,plain-again,3,5,,,3,1,,,few rounds
		a,1,traced,3,10,,,3,2,,,few rounds
		b,2,plain,3,5,,,0,,,,base
		b,2,plain-again,3,5,,,3,1,,,few rounds
		b,2,traced,3,10,,,3,2,,,few rounds
		letter,number,variant,rounds,median,low,high,pairs,ratio,ratio_low,ratio_high,verdict
	END
	for line in 'a,b' 'a,plain,1,x' 'a,plain,1'; do
		! echo "$line" | "$work/stats" compare plain plain-again group >"$work/found" 2>"$work/said" && grep -q 'line 1 is not' "$work/said" || fail "taken: $line"
	done
	for run in 1 2 3 4 5; do printf 'a,b,1,4\nc,d,0,0\n'; done | "$work/stats" shares letter,other >"$work/found"
	diff "$work/found" - <<-'END' || fail "other shares"
		letter,other,runs,part,whole,share,exact_low,exact_high,low,high
		a,b,5,5,20,0.25,0.0865714691,0.491045872,0.25,0.25
		c,d,5,0,0,,,,,
	END
	for line in 'a,1' 'a,x,2' 'a,-1,2' 'a,3,2'; do
		! echo "$line" | "$work/stats" shares group >"$work/found" 2>"$work/said" || fail "shares taken: $line"
	done
	! printf 'a,plain,1,2' | "$work/stats" compare plain plain-again group >"$work/found" 2>"$work/said" || fail "a line that is cut off"
}
# verdict NAME REPORTED [REFUSED]: what score.awk makes of it, of a program that called main.a twice and main.b thrice, once unwound.
verdict() {
	printf 'count main.a 2\ncount main.b 3\nunwound main.b 1\n' >"$work/printed"
	printf '%b' "$2" >"$work/reported"
	printf '%b' "${3:-}" >"$work/refused"
	awk -v situation="$1" -v program=p -v tool=t -v repetition=1 -v raw="$work/run/raw.csv" -v cells="$work/run/cells.csv" -v refusal=why \
		-f experiments/correctness/score.awk "$work/printed" kind=refused "$work/refused" kind=reported "$work/reported"
}
scores() {
	mkdir "$work/run" && echo situation,program,tool,repetition,verdict,how >"$work/run/cells.csv"
	verdict all 'main.a\t2\t2\t2\t0\t0\t0\t0\nmain.b\t3\t2\t2\t0\t1\t0\t0\n'
	verdict counts 'main.a\t2\t2\t-\t-\t-\t-\t-\nmain.b\t3\t2\t-\t-\t-\t-\t-\n'
	verdict unwound 'main.a\t2\t2\t2\t0\t0\t0\t0\nmain.b\t3\t2\t2\t0\t0\t1\t0\n'
	verdict twice 'main.a\t3\t2\t1\t1\t-\t-\t-\nmain.b\t3\t2\t2\t0\t-\t-\t-\n'
	verdict twice 'main.a\t5\t2\t1\t1\t-\t-\t-\nmain.b\t3\t2\t2\t0\t-\t-\t-\n'
	verdict refused 'main.a\t2\t2\t-\t-\t-\t-\t-\n' 'main.b\n'
	verdict both 'main.a\t1\t2\t-\t-\t-\t-\t-\n' 'main.b\n'
	verdict nothing ''
	! experiments/correctness/summary.sh "$work/run" >"$work/said" 2>&1 || fail "a summary of nothing that ended"
	echo 'load_at_end: 0' >"$work/run/environment.txt"
	experiments/correctness/summary.sh "$work/run" >"$work/said" || fail "no summary"
	diff - "$work/said" <<-'END'
		# Repetitions that were exact

		| situation | t |
		|---|---|
		| all | 1 of 1 |
		| counts | 1 of 1 |
		| unwound | 0 of 1, wrong |
		| twice | 0 of 2, wrong |
		| refused | 0 of 1, refused |
		| both | 0 of 1, wrong |
		| nothing | 0 of 1, wrong |
		| **situations always exact** | 2 of 7 |

		## What the others were

		| tool | situation | repetitions | verdict | how |
		|---|---|--:|---|---|
		| t | unwound | 1 | wrong | 2 unwound or unfinished calls wrong |
		| t | twice | 2 | wrong | 1 to 3 calls too many of 5; 1 of 4 durations missing; 1 durations from one call's entry to another's exit |
		| t | refused | 1 | refused | 1 of 2 functions refused (why); the others exact |
		| t | both | 1 | wrong | 1 of 2 calls missing; 1 of 2 functions refused (why) |
		| t | nothing | 1 | wrong | 5 of 5 calls missing; 4 of 4 returns missing |
	END
}
# What replays of traces compare is compared: each number that is changed is noticed.
lossy() {
	local base=$top/fixtures/traces/plain.lost.inline dump=$work/lossy
	"$build/gotrace" dump "$base.gotrace" >"$dump" || fail "no dump"
	counts() { EVENTS=$1 "$top/fixtures/traces/counts.sh" "$base.counts" "$2"; }
	counts "$dump" "$base.functions.csv" || fail "the recording is not what it should be"
	sed 's/^\(@set end.lost_events\) .*/\1 7000/' "$dump" >"$dump.few"
	! counts "$dump.few" "$base.functions.csv" >/dev/null || fail "events are missing"
	sed 's/^\(@set end.lost_events\) .*/\1 9000/' "$dump" >"$dump.many"
	! counts "$dump.many" "$base.functions.csv" >/dev/null || fail "there are too many events"
	awk -F, -v OFS=, 'NR > 1 { $11 = 0 } 1' "$base.functions.csv" >"$dump.trusted"
	! counts "$dump" "$dump.trusted" >/dev/null || fail "no call is suspect"
	sed 's/^main.outer,[0-9]*/main.outer,1001/' "$base.functions.csv" >"$dump.more"
	! counts "$dump" "$dump.more" >/dev/null || fail "a function has more calls than there were"
}
# A patch that no longer applies breaks nothing, and nobody notices until all of them are tried.
mutations() {
	local patch wrong=
	cd "$top" || exit
	: >"$work/said"
	for patch in ci/mutation/*.patch; do git apply --check "$patch" 2>>"$work/said" || wrong="$wrong $(basename "$patch" .patch)"; done
	[ -z "$wrong" ] || { cat "$work/said"; fail "do not apply:$wrong"; }
}
rows='rows of experiments say what was measured, and cannot say it wrongly'
if command -v git >/dev/null; then try "$rows" provenance; else skip "$rows" 'no git'; fi
resumed='an experiment that was killed goes on to the same rows, and what is computed of them is right'
if command -v git >/dev/null; then try "$resumed" rounds; else skip "$resumed" 'no git'; fi
try "what a trace that lost events shows and what it lost is what there was" lossy
try "what a tool reported is compared with the truth" scores
applies='each way in which ci/mutation breaks the sources can still be applied'
if command -v git >/dev/null; then try "$applies" mutations; else skip "$applies" 'no git'; fi
try "completion in bash" completion
try "completion in zsh" completion_zsh
try "completion in fish" completion_fish
try "a header that changes makes the same anew, however the build folder is spelled" spelled
# shellcheck source=version-test.sh
. "$top/ci/version-test.sh"
# shellcheck source=steps-test.sh
. "$top/ci/steps-test.sh"
totals
