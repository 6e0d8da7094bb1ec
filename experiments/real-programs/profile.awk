# `go tool pprof -raw` -> "SAMPLES INNERMOST;...;OUTERMOST", a line each, of functions that exist: what is inlined counts for
# where it is.
function spelled(name) { # as gotrace does: type arguments are [...]
	if (match(name, /\[.*\]/))
		name = substr(name, 1, RSTART - 1) "[...]" substr(name, RSTART + RLENGTH)
	return name
}
/^Samples:/ { part = 1; next }
/^Locations/ { part = 2; next }
/^Mappings/ { part = 3; next }
part == 1 && $2 ~ /:$/ { weight[++samples] = $1; stack[samples] = substr($0, index($0, ":") + 1); next }
part == 2 {
	# outer frames of what is inlined follow on lines of their own: the last is the function that exists
	if ($1 ~ /^[0-9]+:$/) { id = $1 + 0; location[id] = spelled($4) }
	else location[id] = spelled($1)
}
END {
	for (s = 1; s <= samples; s++) {
		n = split(stack[s], frame, " ")
		line = ""
		for (i = 1; i <= n; i++) line = line (i > 1 ? ";" : "") location[frame[i]]
		sum[line] += weight[s]
	}
	for (line in sum) print sum[line], line
}
