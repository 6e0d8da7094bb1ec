#!/bin/sh
# Exports opened by programs that people open them with, from PyPI, crates.io and the Go toolchain: pandas, DuckDB (with its reader of
# SQLite), inferno, go tool pprof. The names, calls and self times that they see must be those of `gotrace report`.
#
#   ci/consumers.sh             $GOTRACE is the command to test, $O the folder for the environment
#   ci/consumers.sh --python    prints a Python that has these packages, for other tests; 1 when they cannot be had
set -eu
cd "$(dirname "$0")/.."
GOTRACE=${GOTRACE:-build/gotrace} O=${O:-build}
venv=$O/venv-consumers
# shellcheck source=totals.sh
. ci/totals.sh
have() { "$venv/bin/python" -c 'import duckdb, pandas, duckdb_extension_sqlite_scanner' 2>/dev/null; }
# The reader of SQLite goes with one version of DuckDB only.
install() { ci/venv.sh "$venv" duckdb==1.5.5 duckdb-extension-sqlite-scanner==1.5.5 pandas; }
have || install >"$O/venv-consumers.log" 2>&1 || {
	[ "${1:-}" = --python ] && exit 1
	tail -n 3 "$O/venv-consumers.log"
	skip 'exports in pandas and DuckDB' 'they do not install from PyPI'
	totals
	exit
}
if [ "${1:-}" = --python ]; then
	echo "$(cd "$venv/bin" && pwd)/python"
	exit
fi
# 0.11 can be built with Debian's Rust.
export INFERNO=$O/inferno/bin/inferno-flamegraph
[ -x "$INFERNO" ] || cargo install -q --debug inferno --version 0.11.15 --locked --no-default-features --features cli --root "$O/inferno" >"$O/inferno.log" 2>&1 || {
	tail -n 3 "$O/inferno.log"
	skip 'folded stacks in inferno' 'it cannot be had from crates.io'
	INFERNO=
}
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
work=$(mktemp -d "${TMPDIR:-/tmp}/gotrace-consumers.XXXXXX")
trap 'rm -rf "$work"' EXIT
for t in fixtures/traces/branches.go1.27.inline fixtures/traces/chain.go1.19.thesis fixtures/traces/callbacks.go1.27.emulated fixtures/samples/leafs; do
	name=$work/${t##*/}
	"$GOTRACE" report --format=csv -n 0 "$t.gotrace" >"$name.csv" 2>/dev/null
	"$GOTRACE" export --format=sqlite -o "$name.db" "$t.gotrace" 2>/dev/null
	"$GOTRACE" export --format=folded -o "$name.folded" "$t.gotrace" 2>/dev/null
	"$GOTRACE" export --format=pprof -o "$name.pb.gz" "$t.gotrace" 2>/dev/null
	"$GOTRACE" export --format=csv -o "$name.thesis.csv" "$t.gotrace" 2>/dev/null
done
"$venv/bin/python" ci/consumers-check.py "$work"/*.db >"$work/log" 2>&1 && status=0 || status=$?
sed '/^[0-9]* passed/d' "$work/log"
add_script "$work/log" "$status"
totals
