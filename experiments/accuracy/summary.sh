#!/bin/sh
# summary.sh FOLDER: errors of durations, from raw.csv, as Markdown.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source-path=SCRIPTDIR source=../rounds.sh
. "$top/experiments/rounds.sh"
begin_derive "$@" # it sets stats and scratch
# shellcheck disable=SC2154
cd "$1"
awk -F, -f "$here/errors.awk" raw.csv | "$stats" compare untraced untraced-again kind,size,what >"$scratch/compared"
awk -F, -f "$here/tables.awk" "$scratch/compared" raw.csv
