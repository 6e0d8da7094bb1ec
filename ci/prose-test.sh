# Tests of ci/prose.py and ci/prose.sh; sourced by scripts-test.sh.
# shellcheck shell=bash disable=SC2154,SC2317 # top and work are that script's

words() { printf 'word %.0s' $(seq "$1"); } # N
# counts_of FILE [LONG TOO-LONG HABITS]: its row, or that it has none
counts_of() {
	[ "$(ci/prose.py | grep "^$1" | paste -sd' ')" = "$(IFS=$'\t'; [ $# = 1 ] || echo "$*")" ] || { ci/prose.py; ci/prose.py "$1"; fail "not: $*"; }
}
prose_tree() {
	rm -rf "$work/prose" && mkdir -p "$work/prose/ci" "$work/prose/core/x" && cd "$work/prose" && cp "$top"/ci/{prose.*,totals.sh} ci || exit
	rm -f ci/prose.tsv
}
# Each kind of file: a sentence of 30 words is none too long, 31 and 36 are; code, tables, tags and examples are not read.
prose_counts() {
	prose_tree
	echo "It $(words 29). It $(words 29)." >a.md
	counts_of a.md
	printf 'It %s.\nIt %s. It %s.\n' "$(words 29)" "$(words 30)" "$(words 35)" >a.md
	counts_of a.md 2 1 0
	printf '# It %s\n\n```\nIt %s.\n```\n\n| It %s. |\n|---|\n\n    It %s.\n\nIt is `%s`.\n\n[It](%s)\n\n- It %s\n- it %s\n' "$(words 40)" "$(words 40)" "$(words 40)" \
		"$(words 40)" "$(words 40)" "$(words 40)" "$(words 20)" "$(words 20)" >a.md
	counts_of a.md
	printf '.SH NAME\n.TP\n.BI %s\nIt %s.\n.nf\nIt %s.\n.fi\n.PP\nIt %s\n.BR a , b\n\\fBc\\fR.\n' "$(words 40)" "$(words 20)" "$(words 40)" "$(words 28)" >core/a.1
	counts_of core/a.1 1 0 0
	printf '// It %s.\nchar *a = "It %s"\n\t"%s.";\n' "$(words 40)" "$(words 20)" "$(words 16)" >core/x/a.c
	counts_of core/x/a.c 1 1 0
	cp core/x/a.c core/x/a_test.c
	counts_of core/x/a_test.c
	# SQL is no sentence, \v ends one, and a printed number is a word.
	printf 'char *a = "SELECT %s", *b = "It %s\\vIt %s", *c = "%%" PRIu64 " of %s";\n' "$(words 40)" "$(words 20)" "$(words 20)" "$(words 5)" >core/x/b.c
	counts_of core/x/b.c
	printf 'char *a = "Select %s";\n' "$(words 40)" >core/x/b.c
	counts_of core/x/b.c 1 1 0
	printf '/* It %s\n * %s. */\nint a; // it %s\nint b; // it %s\nchar *c = "It %s.";\n' "$(words 20)" "$(words 20)" "$(words 20)" "$(words 20)" "$(words 40)" >core/x/a.h
	counts_of core/x/a.h 1 1 0
}
prose_habits() {
	local sentence
	prose_tree
	for sentence in 'What it does is good.' 'Whether it is good.' 'Of these one is good.' 'As it is good, it runs.' 'The same is good.' 'This is said here.' \
		'They were told so.' 'A call is dear.' 'It is made for speed.' 'The program stops: it is slow.'; do
		echo "It runs. $sentence" >a.md
		counts_of a.md 0 0 1
	done
	printf '%s\n\n' 'What is it?' 'It runs what it has.' 'Offers are assets.' 'It has two: one and two.' 'main.c: it is gone.' 'They tell it.' 'It prints `it: this`.' >a.md
	counts_of a.md
}
# A count that rises is a failure that names the sentence. Counts are written when no sum rises, as when a file is renamed.
prose_ratchet() {
	prose_tree
	echo "It is $(words 40)." >a.md
	ci/prose.sh --write && ci/prose.sh >said || fail "not as it stands: $(cat said)"
	echo "This is $(words 40)." >b.md
	! ci/prose.sh >said && grep -q '^#   b.md: 1 sentences over 30 words, were 0' said && grep -q '^#   b.md: 42 words: This is' said || fail "a new file: $(cat said)"
	! ci/prose.sh --write 2>said && grep -q 'a sum would rise' said && ! grep -q ^b.md ci/prose.tsv || fail "it is written: $(cat said)"
	rm a.md
	! ci/prose.sh >said || fail "another file has it"
	ci/prose.sh --write && ci/prose.sh >said || fail "renamed: $(cat said)"
	echo "What it is. $(cat b.md)" >b.md
	! ci/prose.sh >said && grep -q 'b.md: 1 habits, were 0' said || fail "a habit: $(cat said)"
	echo "It is." >b.md
	ci/prose.sh >said && ci/prose.sh --write && ! grep -v '^#' ci/prose.tsv && ci/prose.sh >said || fail "fewer: $(cat said)"
}
try "long sentences are counted in each kind of file" prose_counts
try "habits of bad prose are counted" prose_habits
try "no count of bad prose rises" prose_ratchet
