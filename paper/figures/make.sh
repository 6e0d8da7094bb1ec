#!/bin/sh
# The pictures of greet and ants, by total and by self time (the thesis's Figures 6.2, 6.3, 7.1 and 7.2) for print, and views of their
# pages, of the recordings beside this file. Needs no root. record.sh records anew.
#   paper/figures/make.sh        (make figures)
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top"
gotrace=$(realpath -m "${GOTRACE:-build/gotrace}")
work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-figures.XXXXXX")
trap 'rm -rf "$work"' EXIT
for tool in node "${CHROMIUM:-chromium-headless-shell}" pngquant optipng; do
	command -v "$tool" >/dev/null || { echo "figures: $tool is missing; run: ci/deps.sh page" >&2; exit 1; }
done
PLAYWRIGHT=$(ci/page/npm.sh playwright-core "${O:-build}")
export PLAYWRIGHT

# shot NAME PROGRAM SIZE OPTION...: 256 colours are enough for a page of few
shot() {
	name=$1 program=$2 size=$3
	shift 3
	node ci/page/shot.mjs "$work/$program.html" "$work/shot.png" --size="$size" "$@"
	pngquant --force --speed 1 --strip --output "paper/figures/$name.png" 256 "$work/shot.png"
	optipng -quiet -o5 "paper/figures/$name.png"
	echo "paper/figures/$name.png: $(stat -c %s "paper/figures/$name.png") bytes"
}
for program in greet ants; do
	"$gotrace" export --format=html -o "$work/$program.html" "paper/figures/$program.gotrace"
	echo "page of $program: $(stat -c %s "$work/$program.html") bytes"
done
for program in greet ants; do
	ci/sankey_print.py "$gotrace" "paper/figures/$program.gotrace" total "paper/figures/$program-inclusive.svg"
	ci/sankey_print.py "$gotrace" "paper/figures/$program.gotrace" self "paper/figures/$program-exclusive.svg"
done
shot greet-inclusive greet 1280x640 --view=sankey # the README's
shot ants-timeline ants 1280x520 --view=timeline
# What check-paper.py compares pictures and recordings with.
(cd paper/figures && sha256sum -- *.gotrace *.png *clusive.svg) >paper/figures/made.sha256
