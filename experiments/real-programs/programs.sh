# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # work, here and top are set, selection is read by run.sh
# The programs of real-programs, pinned: how each is built, what it works on and how it is run.
# Sourced by each run.sh, which sets `top`, `scratch` and `work` (a folder for all of it), and may set `requests`.
#
# prepared NAME does once what prepare_NAME does: it builds $work/bin/NAME and its input. command_NAME OUT sets `target` (the command;
# it writes its files into OUT) and `modules` (what the default selection covers). profile_NAME
# FILE OUT runs it untraced with Go's own CPU profiler. drive_NAME FILE, of a server only, runs beside it: it
# loads the server, writes "RIGHT_ANSWERS SECONDS PROCESSOR_SECONDS" to FILE and ends the server.

export GOFLAGS="-buildvcs=false" GOBIN=$work/bin
ESBUILD=v0.28.2 GOFUMPT=v0.12.0 MISSPELL=v0.3.4 HUGO=v0.148.0
THREE=0.187.0 REACT=19.3.1 NATS=v2.15.2 CADDY=v2.11.9

requests=${requests:-20000} # to servers; of messages twice as many
[ -e "$work/nethttp" ] || cp -r "$(go env GOROOT)/src/net/http" "$work/nethttp" # input of gofumpt and misspell

prepared() { # PROGRAM
	[ ! -e "$work/$1.ready" ] || return 0
	"prepare_$1"
	: >"$work/$1.ready"
}

# Runs a command; a server is driven meanwhile. Its status.
serve() { # PROGRAM COMMAND...
	local program=$1 status=0 driver
	shift
	rm -f "$scratch/pid" "$scratch/load"
	if ! declare -F "drive_$program" >/dev/null; then
		"$@"
		return
	fi
	"drive_$program" "$scratch/load" &
	driver=$!
	"$@" || status=$?
	wait "$driver" || echo "$program: not all answers were right" >&2
	return "$status"
}
# Loads a server, notes what it took and ends it.
drive() { # FILE LOAD...
	local file=$1 answered pid
	shift
	if ! answered=$("$@"); then
		[ ! -s "$scratch/pid" ] || kill -INT "$(cat "$scratch/pid")" 2>/dev/null || true # nobody else ends it
		return 1
	fi
	pid=$(cat "$scratch/pid")
	echo "$answered $(awk -v tick="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / tick }' "/proc/$pid/stat")" >"$file"
	kill -INT "$pid"
}
# Runs a server untraced under load until its profile of PROFILE_S seconds is in FILE.
profile_server() { # PROGRAM FILE URL LOAD...
	local program=$1 file=$2 url=$3 getter server
	shift 3
	"command_$program" "$scratch/out"
	"${target[@]}" &
	server=$!
	"$work/bin/load" get "$url?seconds=${PROFILE_S:-5}" "$file" &
	getter=$!
	while kill -0 "$getter" 2>/dev/null; do
		"$@"
	done
	wait "$getter"
	kill -INT "$server"
	wait "$server"
}

# A program that has no flag for a profile (or, gofumpt, one that stops before its workers do) is
# built a second time from a copy: the same source, but main writes a profile to $CPUPROFILE, before
# os.Exit too.
build_profiled() { # NAME MODULE@VERSION MAIN.go
	local dir
	dir=$(cd "$work" && go mod download -json "$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	rm -rf "$work/$1.source"
	cp -r "$dir" "$work/$1.source"
	chmod -R u+w "$work/$1.source"
	add_profile "$1" "$work/$1.source" "$3"
}
add_profile() { # NAME FOLDER MAIN.go
	(cd "$2" && { [ -e go.mod ] || go mod init "${target_module:-profiled}" 2>/dev/null; }
		for file in $(grep -l 'os\.Exit(' "$(dirname "$3")"/*.go); do
			sed -i 's/os\.Exit(/profileExit(/g' "$file"
			echo 'var _ = os.Exit' >>"$file"
		done
		sed -i 's/^func main() {/&\n\tdefer profileUntilEnd()()/' "$3"
		cp "$(dirname "${BASH_SOURCE[0]}")/profile.go.in" "$(dirname "$3")/profile_until_end.go"
		go build -o "$work/bin/$1.profiled" "./$(dirname "$3")")
}

prepare_esbuild() {
	go install "github.com/evanw/esbuild/cmd/esbuild@$ESBUILD"
	mkdir -p "$work/js"
	(cd "$work/js" && echo '{"private": true}' >package.json &&
		npm install --silent --no-audit --no-fund --ignore-scripts \
			"three@$THREE" "react@$REACT" "react-dom@$REACT" >/dev/null 2>&1)
	cat >"$work/js/entry.js" <<-'EOF'
		import * as THREE from 'three'
		import * as React from 'react'
		import * as ReactDOM from 'react-dom/client'
		console.log(THREE, React, ReactDOM)
	EOF
}
command_esbuild() {
	target=("$work/bin/esbuild" "$work/js/entry.js" --bundle --minify --sourcemap --log-level=warning "--outdir=$1")
	modules=(-p main -p github.com/evanw/esbuild)
}
profile_esbuild() {
	command_esbuild "$2"
	"${target[@]}" "--cpuprofile=$1"
}

prepare_gofumpt() {
	go install "mvdan.cc/gofumpt@$GOFUMPT"
	build_profiled gofumpt "mvdan.cc/gofumpt@$GOFUMPT" gofmt.go
}
command_gofumpt() {
	target=("$work/bin/gofumpt" -l "$work/nethttp")
	modules=(-p main -p mvdan.cc/gofumpt)
}
profile_gofumpt() {
	CPUPROFILE=$1 "$work/bin/gofumpt.profiled" -l "$work/nethttp"
}

# One worker: single-threaded, bound by the processor, the program to compare shares on.
prepare_misspell() {
	go install "github.com/client9/misspell/cmd/misspell@$MISSPELL"
	target_module=github.com/client9/misspell build_profiled misspell "github.com/client9/misspell@$MISSPELL" cmd/misspell/main.go
}
command_misspell() {
	target=("$work/bin/misspell" -j 1 "$work/nethttp")
	modules=(-p main -p github.com/client9/misspell)
}
profile_misspell() {
	CPUPROFILE=$1 "$work/bin/misspell.profiled" -j 1 "$work/nethttp"
}

prepare_http() {
	local source=$top/experiments/springboard-safety/server
	(cd "$source" && go build -o "$work/bin/http" main.go)
	mkdir -p "$work/http.source"
	cp "$source/main.go" "$work/http.source"
	add_profile http "$work/http.source" main.go
}
command_http() {
	target=("$work/bin/http" "$requests")
	modules=(-p main)
}
profile_http() {
	CPUPROFILE=$1 "$work/bin/http.profiled" "$requests"
}

# The same server with what answers the requests selected as well.
prepare_http_net() { prepared http; }
command_http_net() {
	target=("$work/bin/http" "$requests")
	modules=(-p main -p net/http)
	selection=("${modules[@]}")
}
profile_http_net() { profile_http "$@"; }

prepare_hugo() {
	go install "github.com/gohugoio/hugo@$HUGO"
	mkdir -p "$work/site/content/posts" "$work/site/layouts/_default"
	echo 'baseURL = "https://example.org/"' >"$work/site/hugo.toml"
	local layout n
	for layout in list single; do
		echo '<html><head><title>{{ .Title }}</title></head><body>{{ .Content }}{{ range .Site.RegularPages.ByDate }}<a href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}</body></html>' \
			>"$work/site/layouts/_default/$layout.html"
	done
	for n in $(seq 300); do
		printf -- '---\ntitle: "Post %d"\ndate: 2024-01-%02dT00:00:00Z\n---\nSome *text* & a [link](https://example.org/%d).\n\n```go\nfunc f%d(a, b int) int { return a*%d + b }\n```\n' \
			"$n" $((n % 28 + 1)) "$n" "$n" "$n" >"$work/site/content/posts/p$n.md"
	done
}
command_hugo() {
	target=("$work/bin/hugo" --quiet --source "$work/site" --noBuildLock --destination "$1" --cacheDir "$work/cache")
	modules=(-p main -p github.com/gohugoio/hugo)
}
profile_hugo() {
	command_hugo "$2"
	"${target[@]}" "--profile-cpu=$1"
}

prepare_load() {
	(cd "$top/experiments/real-programs/load" && go build -o "$work/bin/load" .)
}

# 40,000 messages of four clients, each published and delivered to its own publisher.
prepare_nats() {
	prepared load
	go install "github.com/nats-io/nats-server/v2@$NATS"
	mv "$work/bin/nats-server" "$work/bin/nats"
}
command_nats() {
	target=("$work/bin/nats" -a 127.0.0.1 -p 14222 --profile 14265 -P "$scratch/pid" -l /dev/null)
	modules=(-p main -p github.com/nats-io/nats-server)
}
drive_nats() {
	drive "$1" "$work/bin/load" nats 127.0.0.1:14222 $((2 * requests))
}
profile_nats() {
	profile_server nats "$1" http://127.0.0.1:14265/debug/pprof/profile "$work/bin/load" nats 127.0.0.1:14222 4000
}

# 20,000 requests of four clients for a small file, over connections that are kept.
prepare_caddy() {
	prepared load
	go install "github.com/caddyserver/caddy/v2/cmd/caddy@$CADDY"
	mkdir -p "$work/www"
	echo '<html><body>a page</body></html>' >"$work/www/page.html"
	cat >"$work/Caddyfile" <<-EOF
		{
			admin 127.0.0.1:14219
			auto_https off
			persist_config off
		}
		http://127.0.0.1:14280 {
			root * $work/www
			file_server
		}
	EOF
}
command_caddy() {
	export XDG_DATA_HOME=$scratch/caddy XDG_CONFIG_HOME=$scratch/caddy
	target=("$work/bin/caddy" run --config "$work/Caddyfile" --adapter caddyfile --pidfile "$scratch/pid")
	modules=(-p main -p github.com/caddyserver/caddy)
}
drive_caddy() {
	drive "$1" "$work/bin/load" http 127.0.0.1:14280 "$requests"
}
profile_caddy() {
	profile_server caddy "$1" http://127.0.0.1:14219/debug/pprof/profile "$work/bin/load" http 127.0.0.1:14280 2000
}
