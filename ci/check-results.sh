#!/bin/sh
# Whether the rows in results/ say truly what was measured: each folder's environment.txt names a commit, and a hash of that
# commit's sources.
#
#   ci/check-results.sh           the hash is that of the commit's sources, nothing was forced, and none is a trial
#   ci/check-results.sh --fresh   ... and what made them is as it was (CONTRIBUTING.md has which sources these are): what HEAD does is
#                                 what the tables show; but for those that paper/runs calls older. Rows of other sources are called old.
#                                 They fail a release, whose heading in CHANGELOG.md has a date
#
# RESULTS=DIR   results
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=../experiments/provenance.sh
. "$top/experiments/provenance.sh"
results=${RESULTS:-$top/results} fresh=${1:-} failed=0 passed=0 skipped=0 old=0
case $fresh in '' | --fresh) ;; *) sed -n '2,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac

# A release's archive has no commits to compare with.
git -C "$top" rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "ok - rows # SKIP no git, or no clone"; exit 0; }

# The hash of the sources of each commit here, made when it is first asked for.
known=$(mktemp) || exit 1
trap 'rm -f "$known"' EXIT
commit_of() { # SOURCES: the newest commit that has them
	[ -s "$known" ] || git -C "$top" rev-list HEAD | while read -r one; do echo "$(sources_of "$one") $one"; done >"$known"
	sed -n "s/^$1 //p" "$known" | head -n 1
}

value() { sed -n "s/^$1: //p" "$environment" | head -n 1; }
# check FOLDER: prints what is wrong with it, nothing where all is right
check() {
	environment=$results/$1/environment.txt
	commit=$(value commit) sources=$(value sources) forced=$(value forced)
	if [ -z "$commit" ] || [ -z "$sources" ]; then
		echo "says not what was measured"
	elif [ -n "$forced" ]; then
		echo "was forced: $forced"
	elif [ -n "$(value quick)" ] && [ "$(value quick)" != no ]; then
		echo "is a trial (QUICK=1)"
	elif ! git -C "$top" cat-file -e "$commit^{commit}" 2>/dev/null; then
		echo "is of commit $commit, which this clone does not have"
	elif [ "$sources" != "$(sources_of "$commit")" ]; then
		echo "names sources that are not those of its commit"
	else
		not_fresh "$1" "$commit"
	fi
}
release=$(sed -n 's/^## [0-9][0-9.]* (\([0-9-]*\))$/\1/p;/^## [0-9]/q' "$top/CHANGELOG.md" 2>/dev/null)
other_sources="is of other sources than HEAD's"
older() { grep -q "^[^#=]* = $1, older" "$top/paper/runs" 2>/dev/null; } # FOLDER
# With --fresh: what is wrong where what made the rows of FOLDER is not HEAD's any more, or is although it is called older.
not_fresh() { # FOLDER COMMIT
	[ -n "$fresh" ] || return
	if [ "$(made_with "$2" "${1%%/*}")" != "$(made_with HEAD "${1%%/*}")" ]; then
		older "$1" || echo "$other_sources"
	elif older "$1"; then
		echo "is of HEAD's sources, and paper/runs calls it older"
	fi
}

for file in "$results"/*/*/environment.txt; do
	[ -e "$file" ] || continue
	folder=${file#"$results"/}
	folder=${folder%/environment.txt}
	wrong=$(check "$folder") here=
	# History that was written anew has the sources under another name. A shallow clone may not have them: nothing to compare with.
	case $wrong in *'this clone does not have')
		here=$(commit_of "$(sed -n 's/^sources: //p' "$file" | head -n 1)")
		if [ -n "$here" ]; then
			wrong=$(not_fresh "$folder" "$here")
		elif [ -z "$fresh" ]; then
			echo "ok - $folder # SKIP $wrong"
			skipped=$((skipped + 1))
			continue
		fi ;;
	esac
	if [ -z "$wrong" ]; then
		echo "ok - $folder${here:+, whose commit is $here here}"
		passed=$((passed + 1))
	elif [ "$wrong" = "$other_sources" ] && [ -z "$release" ]; then
		echo "old - $folder $wrong"
		old=$((old + 1))
	else
		echo "not ok - $folder $wrong"
		failed=$((failed + 1))
	fi
done
# Cells of the regression table name their sources themselves.
if [ -n "$fresh" ] && [ -e "$results/regress/cells.tsv" ] && [ -e "$top/ci/regress.sh" ]; then
	cells=$(awk -F '\t' -v now="$("$top/ci/regress.sh" --sources)" '
		FNR == 1 { for (i = 1; i <= NF; i++) if ($i == "sources") column = i; next }
		$column != now { other++ }
		END { if (other) print other " of " FNR - 1 " cells" }' "$results/regress/cells.tsv")
	if [ -z "$cells" ]; then
		echo "ok - regress"
		passed=$((passed + 1))
	elif [ -z "$release" ]; then
		echo "old - regress: $cells are of other sources than these"
		old=$((old + 1))
	else
		echo "not ok - regress: $cells are of other sources than these"
		failed=$((failed + 1))
	fi
fi
[ "$old" = 0 ] || echo "$old old: to be measured anew before a release"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
