#!/bin/sh
# Perfetto exports of all recorded traces, read with Perfetto's own definitions (the `perfetto` package of
# PyPI, in a virtual environment) and compared with the list of calls; and with the real trace processor,
# which that package fetches from Google's storage, where that can be reached.
#
#   ci/perfetto.sh        $GOTRACE is the command to test, $O the folder for the environment
set -eu
cd "$(dirname "$0")/.."
GOTRACE=${GOTRACE:-build/gotrace} O=${O:-build}
venv=$O/venv-perfetto
# shellcheck source=totals.sh
. ci/totals.sh
"$venv/bin/python" -c 'import perfetto' 2>/dev/null || ci/venv.sh "$venv" perfetto || {
	skip "Perfetto's definitions" 'perfetto does not install from PyPI'
	totals
	exit
}
work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-perfetto.XXXXXX")
trap 'rm -rf "$work"' EXIT
for t in fixtures/traces/*.gotrace; do
	name=$work/$(basename "$t" .gotrace)
	"$GOTRACE" export --format=perfetto -o "$name.pftrace" "$t"
	"$GOTRACE" export --format=csv --calls -o "$name.csv" "$t"
done
"$venv/bin/python" ci/perfetto-check.py "$work"/*.pftrace
