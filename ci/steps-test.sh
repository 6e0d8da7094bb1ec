# Part of scripts-test.sh: steps of a push and lines of nightly.sh, and what is left out. Sourced.
# shellcheck shell=bash disable=SC2317,SC2015

# Each step and each line has a row in ci/README.md, and no row is of another.
table() {
	grep -oE "(step|root_step|step_of \"[^\"]*\"|also [a-z]+ \"[^\"]*\") '[^']+'" "$top/ci/test.sh" | sed "s/.* '//; s/'$//" | sort >"$work/steps"
	[ "$(wc -l <"$work/steps")" -gt 20 ] || fail "steps: $(cat "$work/steps")"
	sed -n '/^| step | minutes/,/^$/p' "$top/ci/README.md" | sed '1,2d' | sed -n 's/^| \([^|]*\) |.*/\1/p' | sort | diff "$work/steps" - || fail "steps without a row, or rows without a step"
	"$top/ci/nightly.sh" --list | awk '{ print $1 }' | sort >"$work/lines"
	sed -n '/^| line | what/,/^$/p' "$top/ci/README.md" | sed '1,2d' | sed -n 's/^| \([^|]*\) |.*/\1/p' | tr -d ' ' | tr ',' '\n' | sort |
		diff "$work/lines" - || fail "lines without a row, or rows without a line"
}

# A repository with a change on a branch; what changed_files says of it.
changes() {
	mkdir "$work/changed" && cd "$work/changed" && git init -q -b main . && git config user.name t && git config user.email t@localhost || exit
	# shellcheck source=changed.sh
	. "$top/ci/changed.sh"
	unset CI_BASE ALL
	echo one >a && git add a && git commit -qm one || exit
	! changed_files >said && grep -q 'no merge base' said || fail "without a remote: $(cat said)"
	git update-ref refs/remotes/origin/main HEAD
	rm said
	! changed_files >../said && grep -q 'nothing differs' ../said || fail "nothing has changed: $(cat ../said)"
	echo two >b && git add b && git commit -qm two && echo three >c || exit
	[ "$(changed_files | paste -sd' ')" = 'b c' ] || fail "of a commit and a new file: $(changed_files)"
	! ALL=1 changed_files >../said || fail "ALL=1"
	! CI_BASE=0000000000000000000000000000000000000000 changed_files >../said && grep -q 'no merge base' ../said || fail "a base that is not there: $(cat ../said)"
	[ "$(CI_BASE=HEAD changed_files)" = c ] || fail "since HEAD"
}

# Seconds of parts: a part replaces its older row, groups are not among the longest.
times() {
	(
		CI_TIMES=$work/times CI_STEP=''
		# shellcheck source=times.sh
		. "$top/ci/times.sh"
		begin_times
		CI_STEP=all time_row one 5 2
		CI_STEP=all time_row two/deep 7 1
		CI_STEP=all time_row one 6 3
		time_row all 13 4
		grep -qx "$(printf 'all\t13\t4\t-')" "$CI_TIMES" || fail "without processor time: $(cat "$CI_TIMES")"
		children_time
		before=$children_seconds
		timeout 20 sh -c 'while :; do [ "$(cut -d " " -f 14 /proc/$$/stat)" -lt 150 ] || exit; i=0; while [ $i -lt 9999 ]; do i=$((i + 1)); done; done'
		children_time
		[ $((children_seconds - before)) -ge 1 ] || fail "no processor time of a child"
		[ "$(longest_times 5 | sed 's/^ *//' | paste -sd,)" = '7 s  all/two/deep (1),6 s  all/one (3)' ] || fail "$(longest_times 5)"
	) || exit
}

# The lines of a tree of its own: one passes, one fails; what passed is not run again while the sources are the same.
nightly() {
	mkdir -p "$work/night/ci/vm" && cd "$work/night" && git init -q . && git config user.name t && git config user.email t@localhost || exit
	sed "/^lines() {/,/^}/c\\lines() { printf '%s\\\\n' 'good|passes|echo 3 passed' 'bad|fails|echo no; false'; }" "$top/ci/nightly.sh" >ci/nightly.sh
	chmod +x ci/nightly.sh && git add . && git commit -qm one || exit
	! ci/nightly.sh >said || fail "one failed, and it passed: $(cat said)"
	grep -q '^-- good: 3 passed' said && grep -q '^-- bad: FAILED, status 1: no' said || fail "$(cat said)"
	! ci/nightly.sh >said && grep -qx -e '-- good: passed with these sources' said && grep -q '^== bad' said || fail "again: $(cat said)"
	git add . && git commit -qm notes || exit
	ci/nightly.sh --ages >said
	[ "$(sed 's/, .*//' said | paste -sd,)" = 'nightly good: 0 days and 1 commits ago,nightly bad: 0 days and 1 commits ago' ] || fail "ages: $(cat said)"
	echo change >source && git add source && git commit -qm change || exit
	echo more >source && ci/nightly.sh good >said && grep -q "^good.*-dirty" ci/nightly-last.tsv || fail "changed files are not noted: $(cat ci/nightly-last.tsv)"
	ci/nightly.sh >said; grep -q '^== good' said || fail "what passed with changed files counts: $(cat said)"
	git checkout -q source || exit
	ci/nightly.sh good >said && grep -q '^== good' said || fail "named: $(cat said)"
	! ci/nightly.sh other 2>said && grep -q "no line is called 'other'" said || fail "another name: $(cat said)"
}
# Live topics run side by side: none may take another's process for its own, so each lookup names a parent or a folder.
lookups() {
	! grep -nE '\b(pgrep|pkill|killall|pidof)\b' "$top"/ci/live/*.sh | grep -vE '(-P|-f .*\$(PWD|LIVE)\b)|/lib.sh:.*pgrep -x "\$1"' || fail "by name alone"
}
try "live topics find their own processes" lookups
try "steps and nightly lines have their rows in ci/README.md" table
for name in changes times nightly; do
	if [ $name = nightly ] && [ "$(id -u)" != 0 ]; then skip "ci: $name" "not root"
	elif command -v git >/dev/null; then try "ci: $name" $name; else skip "ci: $name" 'no git'; fi
done
