# go tool pprof -traces -sample_index=samples -> "COUNT OUTERMOST;...;LEAF" for each kind of stack.
function flush_stack(  i, line) {
	for (i = n; i >= 1; i--) line = line (line == "" ? "" : ";") frame[i]
	if (n) print count, line
	n = 0
}
/^-+\+-+$/ { flush_stack(); started = 1; fresh = 1; next }
!started || NF == 0 { next }
/^ *bytes:|^ *[a-z]+: / { next }
{
	if (fresh) { count = $1 + 0; $1 = ""; fresh = 0 }
	sub(/^ +/, "")
	sub(/ \(inline\)$/, "")
	gsub(/ /, "_")
	sub(/\.abi0$/, "")
	frame[++n] = $0
}
END { flush_stack() }
