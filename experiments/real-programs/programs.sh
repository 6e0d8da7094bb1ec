# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034,SC2016 # work, here and top are set, selection is read by run.sh
# The programs of real-programs, pinned: how each is built, what it works on and how it is run.
# Sourced by run.sh, which sets `here`, `top` and `work` (a folder for all of it).
#
# prepare_NAME builds $work/bin/NAME and its input. command_NAME OUT sets `target` (the command;
# it writes its files into OUT) and `modules` (what the default selection covers). profile_NAME
# FILE OUT runs it untraced with Go's own CPU profiler.

export GOFLAGS="-buildvcs=false" GOBIN=$work/bin
ESBUILD=v0.28.2 GOFUMPT=v0.12.0 MISSPELL=v0.3.4 HUGO=v0.148.0
THREE=0.187.0 REACT=19.3.1

# A program that has no flag for a profile (or, gofumpt, one that stops before its workers do) is
# built a second time from a copy: the same source, but main writes a profile to $CPUPROFILE and
# returns where it would have called os.Exit.
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
		sed -i -e 's/^func main() {/&\n\tdefer profileUntilEnd()()/' \
			-e 's/^\tos.Exit(s.GetExitCode())/\ts.GetExitCode()/' "$3"
		cp "$here/profile.go.in" "$(dirname "$3")/profile_until_end.go"
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
	target=("$work/bin/http" 20000)
	modules=(-p main)
}
profile_http() {
	CPUPROFILE=$1 "$work/bin/http.profiled" 20000
}

# The same server with what answers the requests selected as well.
prepare_http_net() { :; }
command_http_net() {
	target=("$work/bin/http" 20000)
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
