# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # work is set, target, modules and selection are read by run.sh
# Programs that no constant of gotrace was chosen by, pinned, as programs.sh has the others: two query tools, a formatter, two
# interpreters, a compressor, an analyser of Go's sources and the benchmark of a key-value store. Only results are looked at:
# whoever tunes gotrace by one of these takes another in its place.
# stable_NAME passes what the program prints without what differs from run to run.

HELD_OUT='gojq yamlfmt tengo gocyclo starlark csvq'
# The rules for released functions, and for samples that contradict measured times, were chosen by looking at these two. They are no
# evidence for them.
LOOKED_AT='gxz buntdb'
GOJQ=v0.12.17 YAMLFMT=v0.21.0 TENGO=v2.17.0 XZ=v0.5.17 GOCYCLO=v0.6.0 BUNTDB=v1.3.2
STARLARK=v0.0.0-20260908191801-89a6a09411d5 CSVQ=v1.18.1

# Runs the twin that profiles itself, as its command says.
profile_command() { # FILE OUT COMMAND
	"$3" "$2"
	CPUPROFILE=$1 "${target[0]}.profiled" "${target[@]:1}"
}

prepare_gojq() {
	go install "github.com/itchyny/gojq/cmd/gojq@$GOJQ"
	build_profiled gojq "github.com/itchyny/gojq@$GOJQ" cmd/gojq/main.go
	awk 'BEGIN {
		for (i = 0; i < 150000; i++)
			printf "{\"id\":%d,\"name\":\"user%d\",\"tags\":[\"a%d\",\"b%d\"],\"addr\":{\"zip\":\"%05d\",\"city\":\"c%d\"}}\n",
				i, i, i % 7, i % 13, i * 7 % 99999, i % 50
	}' >"$work/rows.json"
}
command_gojq() {
	target=("$work/bin/gojq" -c 'select(.name|test("user5")) | {zip: .addr.zip, tags: (.tags|map(ascii_upcase)|join("-"))}' "$work/rows.json")
	modules=(-p main -p github.com/itchyny/gojq)
}
profile_gojq() { profile_command "$@" command_gojq; }

prepare_yamlfmt() {
	go install "github.com/google/yamlfmt/cmd/yamlfmt@$YAMLFMT"
	build_profiled yamlfmt "github.com/google/yamlfmt@$YAMLFMT" cmd/yamlfmt/main.go
	awk 'BEGIN {
		for (i = 0; i < 12000; i++)
			printf "- id:   %d\n  name:  \"user%d\"\n  tags: [a%d,   b%d]\n  addr: {zip: \"%05d\", city: c%d}   # comment %d\n",
				i, i, i % 7, i % 13, i * 7 % 99999, i % 50, i
	}' >"$work/rows.yaml"
}
command_yamlfmt() {
	target=("$work/bin/yamlfmt" -dry "$work/rows.yaml")
	modules=(-p main -p github.com/google/yamlfmt)
}
profile_yamlfmt() { profile_command "$@" command_yamlfmt; }

prepare_tengo() {
	go install "github.com/d5/tengo/v2/cmd/tengo@$TENGO"
	build_profiled tengo "github.com/d5/tengo/v2@$TENGO" cmd/tengo/main.go
	cat >"$work/fib.tengo" <<-'EOF'
		fib := func(n) { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
		sum := 0
		for i := 0; i < 1500000; i++ { a := [i, i+1, i+2]; sum += a[i%3] * len(a) }
		out := fib(29) + sum
	EOF
}
command_tengo() {
	target=("$work/bin/tengo" "$work/fib.tengo")
	modules=(-p main -p github.com/d5/tengo/v2)
}
profile_tengo() { profile_command "$@" command_tengo; }

prepare_gxz() {
	go install "github.com/ulikunitz/xz/cmd/gxz@$XZ"
	build_profiled gxz "github.com/ulikunitz/xz@$XZ" cmd/gxz/main.go
	tar -c --sort=name -C "$work" nethttp >"$work/nethttp.tar"
}
command_gxz() {
	target=("$work/bin/gxz" -k -c "$work/nethttp.tar")
	modules=(-p main -p github.com/ulikunitz/xz)
}
profile_gxz() { profile_command "$@" command_gxz; }

# Go's parser, which does the work, is selected as well.
prepare_gocyclo() {
	go install "github.com/fzipp/gocyclo/cmd/gocyclo@$GOCYCLO"
	build_profiled gocyclo "github.com/fzipp/gocyclo@$GOCYCLO" cmd/gocyclo/main.go
}
command_gocyclo() {
	local src
	src=$(go env GOROOT)/src
	target=("$work/bin/gocyclo" -top 5 "$src/net" "$src/crypto" "$src/go")
	modules=(-p main -p github.com/fzipp/gocyclo -p go/parser -p go/scanner -p go/ast)
	selection=("${modules[@]}")
}
profile_gocyclo() { profile_command "$@" command_gocyclo; }

prepare_buntdb() {
	local dir
	dir=$(cd "$work" && go mod download -json "github.com/tidwall/buntdb@$BUNTDB" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	rm -rf "$work/buntdb.source"
	cp -r "$dir" "$work/buntdb.source"
	chmod -R u+w "$work/buntdb.source"
	(cd "$work/buntdb.source" && go test -c -o "$work/bin/buntdb.test" .)
}
command_buntdb() {
	target=("$work/bin/buntdb.test" -test.run '^$' -test.bench 'Set_NoPersist_Random_1$' -test.benchtime 200000x)
	modules=(-p main -p github.com/tidwall/buntdb)
}
profile_buntdb() {
	command_buntdb
	"${target[@]}" -test.cpuprofile="$1"
}
stable_buntdb() { sed 's/[0-9.]* ns\/op.*//'; }

prepare_starlark() {
	go install "go.starlark.net/cmd/starlark@$STARLARK"
	build_profiled starlark "go.starlark.net@$STARLARK" cmd/starlark/starlark.go
	cat >"$work/sums.star" <<-'EOF'
		def total(numbers):
		    t = 0
		    for n in numbers:
		        t += n
		    return t
		def main():
		    sums = {}
		    for i in range(500000):
		        k = "k%d" % (i % 1000)
		        sums[k] = sums.get(k, 0) + i * 3 // 2
		    first = sorted([(v, k) for k, v in sums.items()])[0]
		    print(len(sums), first, total([x * x for x in range(800000) if x % 3]))
		main()
	EOF
}
command_starlark() {
	target=("$work/bin/starlark" "$work/sums.star")
	modules=(-p main -p go.starlark.net)
}
profile_starlark() { profile_command "$@" command_starlark; }

prepare_csvq() {
	go install "github.com/mithrandie/csvq@$CSVQ"
	build_profiled csvq "github.com/mithrandie/csvq@$CSVQ" main.go
	awk 'BEGIN {
		print "id,name,city,amount"
		for (i = 0; i < 200000; i++)
			printf "%d,user%d,c%d,%d\n", i, i % 977, i % 50, i * 31 % 1000
	}' >"$work/rows.csv"
}
command_csvq() {
	target=("$work/bin/csvq" -f CSV "SELECT city, COUNT(*) AS n, SUM(amount) AS s, MAX(name) AS m FROM \`$work/rows.csv\`
		WHERE name LIKE 'user%5%' GROUP BY city ORDER BY s DESC, city")
	modules=(-p main -p github.com/mithrandie/csvq)
}
profile_csvq() { profile_command "$@" command_csvq; }
