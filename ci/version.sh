#!/bin/sh
# Prints gotrace's version: that of the newest heading of CHANGELOG.md, the commits since that heading is there, and the commit,
# 0.5-12-gfc61c5a; with -dirty where files were changed. Where git says nothing, the heading's alone: in a release's archive, or to
# root in another user's tree.
set -eu
cd "$(dirname "$0")/.."
number=$(sed -n 's/^## \([0-9][0-9.]*\) .*/\1/p' CHANGELOG.md | head -n 1)
if commit=$(git describe --always --dirty --exclude='*' 2>/dev/null); then
	begun=$(git log --format=%H -G"^## $number " -- CHANGELOG.md | tail -n 1)
	number=$number-$(git rev-list --count "${begun:-HEAD}..HEAD")-g$commit
fi
echo "$number"
