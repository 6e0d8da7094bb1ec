#!/bin/sh
# Includes run one way: base <- binary <- plan <- attach, base <- trace <- model <- export;
# attach may use trace, cli sees all. Only attach knows libbpf and kernel headers.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

# layer:what it may include
for rule in \
	'base:base' \
	'binary:base|binary' \
	'plan:base|binary|plan' \
	'attach:base|binary|plan|attach|trace' \
	'trace:base|trace' \
	'model:base|trace|model' \
	'export:base|trace|model|export'
do
	layer=${rule%%:*} may=${rule#*:}
	found=$(grep -nE '^#include "[a-z]+/' "core/$layer"/*.[ch] | grep -vE "#include \"($may|bpf)/")
	if [ -n "$found" ]; then
		printf 'core/%s may include only %s:\n%s\n' "$layer" "$may" "$found"
		bad=1
	fi
done
for layer in base binary plan trace model export; do
	found=$(grep -nE '^#include <(bpf|linux|asm)/' "core/$layer"/*.[ch])
	if [ -n "$found" ]; then
		printf 'core/%s must not know the kernel:\n%s\n' "$layer" "$found"
		bad=1
	fi
done
# Only the command line prints to stdout or exits.
found=$(grep -nE '\b(printf|puts|exit)\(' core/base/*.c core/binary/*.c core/plan/*.c core/attach/*.c core/trace/*.c \
	core/model/*.c core/export/*.c 2>/dev/null | grep -vE '_(test|fuzz)\.c:|[fsn]printf|vsnprintf|_exit\(|fputs')
if [ -n "$found" ]; then
	printf 'only core/cli may print to stdout or exit:\n%s\n' "$found"
	bad=1
fi
[ "$bad" = 0 ] && echo "layers: includes run one way"
exit "$bad"
