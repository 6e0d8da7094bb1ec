#!/bin/sh
# Prints the command of an OpenTelemetry Collector with the receiver otlp and the exporter file: $OTELCOL, or one built from
# its Go modules (fixtures/collector) below $O. Status 1, and why as the last line, when there is none.
set -eu
cd "$(dirname "$0")/.."
O=$(realpath "${O:-build}")
if [ -n "${OTELCOL:-}" ]; then
	[ -x "$OTELCOL" ] || { echo "OTELCOL=$OTELCOL is no command"; exit 1; }
	realpath "$OTELCOL"
	exit
fi
command -v go >/dev/null || PATH=$PATH:/usr/local/go/bin
mkdir -p "$O/collector"
cp fixtures/collector/main.go fixtures/collector/go.mod "$O/collector"
# In turn: topics of live tests run side by side.
flock "$O/collector" sh -c 'cd "$1" && exec go build -mod=mod -o otelcol .' sh "$O/collector" >"$O/collector/log" 2>&1 ||
	{ echo "the Collector cannot be built: $(tail -n 1 "$O/collector/log")"; exit 1; }
echo "$O/collector/otelcol"
