# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154 # work, here and out are set by run.sh
# Events of real programs that took a trap, as their traces count them. Sourced by run.sh; needs root.
#
# hits PROGRAM... builds each program, records it with every package selected, and writes hits.csv:
#   program, version
#   events      all that were recorded
#   at_sites    of them, those of probes that trap at every call: no stub could be made there
#   no_room     of them, those that a stub left to its slow path: the ring was full, or the thread had none yet. A busy machine
#               raises this number: gotrace then reads the rings too late

# An interpreter, a configuration language, static analysers, formatters, a compressor, query tools, a parser generator.
# No rule and no constant of gotrace was chosen by any of them.
HIT_PROGRAMS='yaegi cue staticcheck hclfmt deadcode benchstat gxz dasel tomlv goyacc'

where() { # PROGRAM: its package and version
	case $1 in
	yaegi) echo github.com/traefik/yaegi/cmd/yaegi v0.16.1 ;;
	cue) echo cuelang.org/go/cmd/cue v0.17.1 ;;
	staticcheck) echo honnef.co/go/tools/cmd/staticcheck v0.8.2 ;;
	hclfmt) echo github.com/hashicorp/hcl/v2/cmd/hclfmt v2.25.0 ;;
	deadcode) echo golang.org/x/tools/cmd/deadcode v0.52.0 ;;
	benchstat) echo golang.org/x/perf/cmd/benchstat v0.0.0-20260908200009-22c9c6c9d4da ;;
	gxz) echo github.com/ulikunitz/xz/cmd/gxz v0.5.17 ;;
	dasel) echo github.com/tomwright/dasel/v2/cmd/dasel v2.8.1 ;;
	tomlv) echo github.com/BurntSushi/toml/cmd/tomlv v1.6.0 ;;
	goyacc) echo golang.org/x/tools/cmd/goyacc v0.52.0 ;;
	esac
}

# Inputs, the same each time.
inputs() { # FOLDER
	mkdir -p "$1/module"
	cp "$here/interpreted.go.in" "$1/interpreted.go"
	printf 'module input\n\ngo 1.22\n' >"$1/module/go.mod"
	printf 'package main\n\nimport "net/http"\n\nfunc unused() {}\n\nfunc main() { println(http.DefaultClient) }\n' >"$1/module/main.go"
	awk -v dir="$1" 'BEGIN {
		srand(1)
		for (i = 0; i < 20000; i++) {
			printf "[t%d]\na = %d\nb = \"x%d\"\nc = [1, 2, 3]\nd = %f\n", i, i, i, rand() >(dir "/input.toml")
			printf "BenchmarkX%d-8 1000 %d ns/op %d B/op\n", i % 500, 900 + 200 * rand(), 90 + 20 * rand() >(dir "/input.bench")
			printf "%s{\"id\": %d, \"name\": \"n%d\", \"tags\": [\"a\", \"%d\"]}", i ? "," : "{\"items\": [", i, i, i >(dir "/input.json")
		}
		print "]}" >(dir "/input.json")
		for (i = 0; i < 5000; i++)
			printf "resource \"a%d\" \"b%d\" {\n x=1\n   y = [1,2,  3]\n tags={a=\"b\"\n c = \"d${var.x}\"}\n}\n", i, i >(dir "/input.hcl")
		print "#D: {a: int, b: string, c: [...int]}" >(dir "/input.cue")
		for (i = 0; i < 3000; i++)
			printf "x%d: #D & {a: %d, b: \"s\\(x%d.a)\", c: [1, 2, %d]}\n", i, i, i, i >(dir "/input.cue")
		for (i = 0; i < 60000; i++) printf "line %d of something %f\n", i, rand() >(dir "/input.txt")
		printf "%%{\npackage main\n%%}\n%%union{n int}\n%%token <n> NUM\n%%type <n> expr\n" >(dir "/input.y")
		for (i = 0; i < 150; i++) printf "%%token T%d\n", i >(dir "/input.y")
		printf "%%%%\ntop: expr {}\nexpr: NUM {$$=$1}\n" >(dir "/input.y")
		for (i = 0; i < 150; i++) printf "| expr T%d expr {$$=$1+$3}\n", i >(dir "/input.y")
		print "%%" >(dir "/input.y")
	}'
}

run_of() { # PROGRAM INPUTS: sets target
	case $1 in
	yaegi) target=("$2/interpreted.go") ;;
	cue) target=(export "$2/input.cue") ;;
	staticcheck | deadcode) target=(./...) ;;
	hclfmt) target=("$2/input.hcl") ;;
	benchstat) target=("$2/input.bench") ;;
	gxz) target=(-k -f "$2/input.txt") ;;
	dasel) target=(-f "$2/input.json" 'items.all().name') ;;
	tomlv) target=("$2/input.toml") ;;
	goyacc) target=(-o "$2/parser.go" "$2/input.y") ;;
	esac
	target=("$work/bin/$1" "${target[@]}")
}

hits() { # PROGRAM...
	local program package version trace=$work/hits.trace
	[ "$(id -u)" = 0 ] || { echo 'inline-coverage: only root can record: there will be no hits.csv' >&2; return 0; }
	inputs "$work/in"
	echo program,version,events,at_sites,no_room >"$out/hits.csv"
	for program; do
		read -r package version < <(where "$program")
		GOBIN=$work/bin go install "$package@$version"
		run_of "$program" "$work/in"
		# A linter that found something ends with a status of its own.
		(cd "$work/in/module" && "$GOTRACE" record -q --probe=inline -p all -x 'syscall.*' -o "$trace" -- "${target[@]}") \
			>"$work/hits.out" 2>&1 || [ -s "$trace" ] || { cat "$work/hits.out" >&2; return 1; }
		"$GOTRACE" info "$trace" | awk -v row="$program,$version" '
			$1 == "end.reason" { ended = $2 == "exited" }
			$1 == "end.events" { events = $2 }
			$1 == "end.events_jump" { no_room = $2 }
			$1 ~ /^end\.events_(emulated|step|nop|ret|values)$/ { sites += $2 }
			END { if (!ended || !events) exit 1; printf "%s,%d,%d,%d\n", row, events, sites, no_room }' >>"$out/hits.csv"
	done
}
