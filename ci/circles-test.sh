# Tests of ci/circles.py; sourced by scripts-test.sh.
# shellcheck shell=bash disable=SC2154 # top and work are that script's

circle() { # a uses b, b uses c, and c, when it is said to, uses a
	local file
	mkdir -p "$work/tree/core" "$work/tree/o/core" && cd "$work/tree" || exit
	echo 'int b(void); int a(void); int a(void) { return b(); }' >core/a.c
	echo 'int c(void); int b(void); int b(void) { return c(); }' >core/b.c
	echo 'int c(void); int c(void) { return 1; }' >core/c.c
	for file in a b c; do cc -c "core/$file.c" -o "o/core/$file.o" || exit; done
	"$top/ci/circles.py" o || fail "there is none"
	echo 'int a(void); int c(void); int c(void) { return a(); }' >core/c.c
	cc -c core/c.c -o o/core/c.o || exit
	! "$top/ci/circles.py" o >said || fail "it is not found"
	grep -q '^  core/c.c -> core/a.c: a$' said
}
header_circle() { # of bpf, of core, of both; a header that two include is none
	mkdir -p "$work/headers/core/x" "$work/headers/bpf" "$work/headers/o" && cd "$work/headers" || exit
	printf '#include "%s"\n' bpf/b.bpf.h bpf/c.h >bpf/a.bpf.h
	printf '#include "%s"\n' bpf/c.h >bpf/b.bpf.h
	printf '#include "%s"\n' x/y.h stdio.h >core/x/x.h
	printf '#include <%s>\n' bpf/a.bpf.h >core/x/y.h
	touch bpf/c.h
	"$top/ci/circles.py" o || fail "there is none"
	echo '#include "bpf/a.bpf.h"' >>bpf/c.h
	! "$top/ci/circles.py" o >said && grep -q '^  bpf/a.bpf.h -> bpf/c.h: #include$' said || fail "of bpf: $(cat said)"
	echo '#include "bpf/event.h"' >bpf/c.h
	echo '#	include "x/x.h"' >core/x/y.h
	! "$top/ci/circles.py" o >said && grep -q '^  core/x/x.h -> core/x/y.h: #include$' said || fail "of core: $(cat said)"
	echo '#include "bpf/c.h"' >core/x/y.h
	echo '#include "x/x.h"' >>bpf/c.h
	! "$top/ci/circles.py" o >said && grep -q '^  bpf/c.h -> core/x/x.h: #include$' said || fail "of both: $(cat said)"
	printf '#ifndef X\n#include "bpf/c.h"\n#endif\n' >bpf/c.h
	! "$top/ci/circles.py" o >said && grep -q '^  bpf/c.h -> bpf/c.h: #include$' said || fail "of one file: $(cat said)"
}
try "a circle between three files is found" circle
try "a circle of headers that include each other is found" header_circle
