# Which steps a change needs; sourced by bash or sh, from the top folder.
#
# Files count as changed when they differ from the merge base: $CI_BASE, or else the commit where HEAD left the remote's default
# branch. Where that cannot be told every step runs, as with ALL=1.
# shellcheck shell=sh

# merge_base: prints the commit; 1 when it cannot be told.
merge_base() {
	if [ -n "${CI_BASE:-}" ]; then
		git merge-base HEAD "$CI_BASE" 2>/dev/null
		return
	fi
	for branch in origin/HEAD origin/main origin/master; do
		git merge-base HEAD "$branch" 2>/dev/null && return
	done
	return 1
}

# changed_files: prints the files; 1 when every step has to run, with the reason on stdout.
changed_files() {
	[ "${ALL:-}" != 1 ] || { echo 'ALL=1'; return 1; }
	base=$(merge_base) || { echo 'no merge base is known'; return 1; }
	files=$({ git diff --name-only "$base" && git ls-files --others --exclude-standard; } 2>/dev/null) || { echo 'git diff failed'; return 1; }
	[ -n "$files" ] || { echo "nothing differs from $base"; return 1; }
	echo "$files"
}
