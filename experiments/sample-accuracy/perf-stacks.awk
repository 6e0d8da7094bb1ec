# perf script -F ip,sym -> "COUNT OUTERMOST;...;LEAF" for each sample. The kernel's frames are left out, so that a sample
# in a system call counts for who made it, as with gotrace without --kernel.
function flush_stack(  i, line) {
	if (!open) return
	for (i = n; i >= 1; i--) line = line (line == "" ? "" : ";") frame[i]
	print 1, line == "" ? "[no stack]" : line
	open = n = 0
}
NF == 0 { flush_stack(); next }
{ open = 1 }
$1 ~ /^ffff[89a-f]/ { next }
{
	$1 = ""
	sub(/^ /, "")
	gsub(/ /, "_")
	sub(/\.abi0$/, "")
	frame[++n] = $0
}
END { flush_stack() }
