#!/bin/sh
# How the code is put together: includes run one way, no circle between files, no long file or function.
#
#   base <- binary <- plan <- attach       attach writes traces, too
#   attach <- sample
#   base <- trace <- rings <- attach       of plan, rings knows the memory that stubs write only
#   base <- trace <- pair <- model <- analysis <- report, export
#   pair, model <- keep
#   base <- binary, trace <- symbols
#   base <- stats <- analysis
#   trace, symbols, export <- agent
#   cli sees all
#
# All may know the records of bpf/event.h. Only attach and sample know libbpf and kernel headers, only cli prints to
# stdout or exits. Circles are looked for in the objects of the build ($O, build), and among headers.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0

# complain TEXT FOUND: what was found is a failure, nothing is none.
complain() {
	[ -n "$2" ] || return 0
	printf '%s:\n%s\n' "$1" "$2"
	bad=1
}

# layer:what it may include. Of the model, whoever shows a trace knows the public header only.
while IFS=: read -r layer may; do
	complain "core/$layer may include only $may" "$(grep -rE --include='*.[ch]' '^#include "[a-z]+/' "core/$layer" |
		grep -vE "#include \"($may|bpf/event.h)")"
done <<-'END'
	base:base/
	stats:base/|stats/
	binary:base/|binary/
	plan:base/|binary/|plan/
	attach:base/|binary/|plan/|attach/|trace/|rings/
	sample:base/|binary/|attach/|trace/|sample/|bpf/sample.h
	sample/lang:base/|binary/|trace/|sample/lang/|sample/maps.h|sample/sample_bpf.h|bpf/sample.h
	trace:base/|trace/
	rings:base/|plan/ring.h|trace/|rings/
	pair:base/|trace/|pair/
	model:base/|trace/|pair/|model/
	symbols:base/|binary/|trace/|symbols/
	keep:base/|trace/|pair/|model/|keep/
	analysis:base/|stats/|trace/|model/|analysis/
	report:base/|stats/|trace/|model/model.h|analysis/|report/
	export:base/|trace/|model/model.h|analysis/|export/
	agent:base/|trace/|symbols/|export/export.h|export/export_fixture.h|export/otlp/|agent/
END
complain 'only core/attach and core/sample may know the kernel' \
	"$(grep -rnE --include='*.[ch]' '^#include <(bpf|linux|asm)/' core | grep -vE '^core/(attach|sample)/')"
complain 'only core/cli may print to stdout or exit' \
	"$(grep -rnE --include='*.c' '\b(printf|puts|exit)\(' core | grep -vE '^core/cli/|_(test|fuzz)\.c:')"

# Which registers a processor has, and what else differs, stands in folders of its name.
complain 'only folders of a processor may know its registers' \
	"$(grep -nE '(->|\.)(r(ip|sp|bp|ax|bx|cx|dx|si|di|8|9|1[0-5])|eflags|orig_rax|cs|fsbase|pstate|syscallno|tp_value)\b' bpf/*.[ch])"
complain 'only core/attach/host of a processor may know registers and the counter of the host' \
	"$(grep -rnE --include='*.[ch]' '(->|\.)(eflags|orig_rax|fsbase|r(ip|sp|bp|ax|bx|cx|dx|si|di|8|9|1[0-5]))\b|\bREG_R[A-Z0-9]+\b|PTRACE_[GS]ETREGS|user_regs_struct|\brdtsc\b|%%r[a-ds0-9]|__builtin_ia32|<(cpuid|asm/ptrace|sys/reg|sys/user)\.h>' \
		core/attach core/sample core/cli | grep -vE '^core/attach/host/(x86_64|arm64)/')"
complain 'only core/binary of a processor may know its registers, opcodes, decoder and ELF machine' \
	"$(grep -rnEi --include='*.[ch]' '\b(r(ip|sp|bp|[a-d]x|[sd]i|8|9|1[0-5]d?|el(8|32))|e([a-d]x|[sd]i|[sb]p|flags)|xmm[0-9]*|int3|capstone|zydis|cs_(insn|open|disasm|reg|op|ac|grp)[a-z_]*|(X86|ARM64)_(REG|INS|OP)_[A-Z0-9_]+|R_(X86_64|AARCH64)_[A-Z0-9]+|EM_(X86_64|AARCH64))\b|(\b0|\\)x(cc|90|e[89b]|c3|d65f03c0|48|49)\b' \
		core/binary | grep -vE '^core/binary/(x86_64|arm64|capstone)/|_(test|fixture|fuzz)\.[ch]:')"
complain 'only those who test or make stubs may name a processor of core/binary' \
	"$(grep -rn --include='*.[ch]' '#include "binary/\(x86_64\|arm64\)/' core | grep -vE '^core/binary/(arch\.c|x86_64/|arm64/)|_(test|fixture|fuzz)\.[ch]:')"
complain 'only core/base/host of a processor may pause it' \
	"$(grep -rn --include='*.[ch]' '__builtin_ia32' core | grep -vE '/(x86_64|arm64)/')"
complain 'only folders of a processor may ask which it is' \
	"$(grep -rnE --include='*.[chS]' '__(x86_64|aarch64)__|__TARGET_ARCH' core bpf | grep -vE '/(x86_64|arm64)/')"

sources() { find core bpf ci experiments -type f -regextype egrep -regex ".*\.($1)"; }
# shellcheck disable=SC2046 # a list of files
complain 'no file may have more than 800 lines' \
	"$(awk 'FNR == 801 { print FILENAME }' $(sources 'c|h|sh|py|mjs|js|css|md'))"
# shellcheck disable=SC2046
complain 'no function may have more than 80 lines' "$(awk '
	FNR == 1 { start = 0 }
	/^\{/ { start = FNR; name = line }
	/^\}/ { if (start && FNR - start > 81) print FILENAME ":" start ": " FNR - start - 1 " lines: " name; start = 0 }
	/^[a-z_]/ { line = $0 }' $(sources 'c|h'))"

circles=$(ci/circles.py "${O:-build}/obj") || complain 'no circle between files' "${circles:-ci/circles.py could not look}"
[ "$bad" = 0 ] && echo 'layers: includes run one way, no circle, no long file or function'
exit "$bad"
