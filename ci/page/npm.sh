#!/bin/sh
# Puts a package of the npm registry that pages are tested with into a folder and prints where it is:
#
#   npm.sh PACKAGE FOLDER      downloaded once, checked against its sum
#
# playwright-core drives the browser; axe-core looks for what shuts people out; speedscope is what opens --format=speedscope.
set -eu
[ $# = 2 ] || { sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $1 in
playwright-core) version=1.56.1 sum=fa648e5442796d4160c68dcfc3914ed5224f147852264993e6376e29f0228238 ;;
axe-core) version=4.11.0 sum=39bed7d72308f6d620789c169d699bfd7e8da80f65b545821a6b2215c3e83107 ;;
speedscope) version=1.25.0 sum=2831f1e0d26df914b477e522d78b8485511495a6af81a0b88158f8b48f9e0d03 ;;
*) echo "npm.sh: there is no version of $1 here" >&2 && exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)/$1-$version
if [ ! -e "$folder/package.json" ]; then
	archive=$folder.tgz
	curl -fsSL --retry 3 -o "$archive" "https://registry.npmjs.org/$1/-/$1-$version.tgz"
	echo "$sum  $archive" | sha256sum --quiet -c - >&2
	rm -rf "$folder.new" "$folder"
	mkdir "$folder.new"
	tar -xzf "$archive" -C "$folder.new" --strip-components=1
	mv "$folder.new" "$folder"
	rm "$archive"
fi
echo "$folder"
