# Go's own execution trace and CPU profile, and tools that do not start; sourced by run.sh.
# shellcheck shell=bash disable=SC2034,SC2154

# What one would use instead of a tracer, in a program that is changed for it: started before main.main, ended behind it.
# Both know when something was seen, not how often it was called: they have no numbers to compare, but names.
run_exectrace() { with_own trace "$@"; }
run_cpuprofile() { with_own profile "$@"; }

with_own() { # KIND PROGRAM ARG...
	local program=$work/own/$2 kind=$1 found
	shift 2
	[ -e "$program" ] || build_own "${program##*/}" || { gives "not run" "it cannot be built with the lines that start one"; return 1; }
	export OWN_KIND=$kind OWN_FILE=$work/own.out
	rm -f "$OWN_FILE"
	status=0
	if [ "${program##*/}" = phases ]; then
		target_phases "$program" true true
	else
		timeout -k 5 "$SLOW_LIMIT" "$program" "$@" >"$work/printed" 2>"$work/err" || status=$?
	fi
	if [ $status = 124 ] || [ $status = 137 ]; then
		gives "no end" "the program does not end within $SLOW_LIMIT s"
		return 1
	fi
	if [ ! -s "$OWN_FILE" ]; then
		gives "no counts" "no file: it is written when main.main returns"
		return 1
	fi
	sed -n 's/^count \(.*\) [0-9]*$/\1/p' "$work/printed" | LC_ALL=C sort -u >"$work/called"
	[ -s "$work/called" ] || { gives "no counts" "the program did not come to its end"; return 1; }
	found=$(read_own "$kind" "$program" 2>"$work/err" | awk -v names="$work/called" '
		BEGIN { while ((getline line < names) > 0) name[++n] = line }
		!/main\./ { next }
		{
			sub(/main\.originalMain/, "main.main") # what main.main is called there
			for (i = 1; i <= n; i++) {
				at = i in seen ? 0 : index($0, name[i])
				if (at && substr($0, at + length(name[i]), 1) !~ /[A-Za-z0-9_.]/) { seen[i]; c++ }
			}
		}
		c == n { exit }
		END { print c + 0 " of " n + 0 }')
	gives "no counts" "$found functions that were called are named$(sed -n 's/^own.sh: /; /p' "$work/err")"
	rm -f "$OWN_FILE"
	return 1
}
read_own() { # KIND PROGRAM: as text; what cannot be read in time is not known
	case $1 in
	trace) timeout "$SLOW_LIMIT" go tool trace -d=parsed "$OWN_FILE" ;;
	profile) go tool pprof -raw "$2" "$OWN_FILE" ;;
	esac
	[ $? != 124 ] || echo "own.sh: not all is read within $SLOW_LIMIT s" >&2
}

build_own() { # PROGRAM
	local source
	source=$(ls "$top"/fixtures/programs/{,go1.*/}"$1"/main.go 2>/dev/null)
	[ -n "$source" ] || return 1
	mkdir -p "$work/own"
	# Who waits until no goroutine but its own is there has the profile's, too.
	sed 's/^func main() {/func originalMain() {/; s/\(NumGoroutine() [>!]=*\) 1\>/\1 2/' "$source" >"$work/own.main.go"
	cat >"$work/own.start.go" <<-'END'
		package main

		import (
			"os"
			"runtime/pprof"
			"runtime/trace"
		)

		func main() {
			file, err := os.Create(os.Getenv("OWN_FILE"))
			if err == nil && os.Getenv("OWN_KIND") == "trace" {
				err = trace.Start(file)
				defer trace.Stop()
			} else if err == nil {
				err = pprof.StartCPUProfile(file)
				defer pprof.StopCPUProfile()
			}
			if err != nil {
				panic(err)
			}
			originalMain()
		}
	END
	cat >"$work/own.json" <<-END
		{"Replace": {"$source": "$work/own.main.go", "${source%/*}/start_of_own.go": "$work/own.start.go"}}
	END
	(cd "${source%/*}" && go build -buildvcs=false -overlay "$work/own.json" -gcflags=-l -o "$work/own/" .) >"$work/own.log" 2>&1
}

# gofuncgraph and go-ftrace: whether they can be installed, and whether the library with which both read the kernel's types, in
# the version that both name, can read those of this kernel. A row each of what was tried and what it said.
absent_tools() {
	local module said reader
	reader=$(btf_reader)
	echo "tool,tried,said"
	for module in github.com/jschwinger233/gofuncgraph github.com/hitzhangjie/go-ftrace; do
		if said=$(GOBIN=$work/go/bin GOFLAGS='' go install "$module@latest" 2>&1); then
			said="it can be installed; nothing here runs it"
		fi
		absent_row "$module" "go install" "$(tail -n 2 <<<"$said")"
		absent_row "$module" "its reader of kernel types (cilium/ebpf $btf_version)" "$reader"
	done
}
absent_row() { printf '%s,"%s","%s"\n' "${1##*/}" "$2" "$(tr '",\n\t' "';  " <<<"$3" | sed 's/^ *//; s/ *$//')"; } # TOOL TRIED SAID
btf_version=v0.9.0
btf_reader() { # what it says of this kernel
	mkdir -p "$work/btf" && cd "$work/btf" || return 1
	cat >main.go <<-'END'
		package main

		import (
			"fmt"

			"github.com/cilium/ebpf/btf"
		)

		func main() {
			_, err := btf.LoadKernelSpec()
			if err == nil {
				fmt.Println("it reads this kernel's")
			} else {
				fmt.Println(err)
			}
		}
	END
	if ! { go mod init reader && go get "github.com/cilium/ebpf@$btf_version" && go build -o reader .; } >log 2>&1; then
		echo "not built: $(tail -n 1 log)"
		return
	fi
	./reader 2>&1 | tail -n 1
}
