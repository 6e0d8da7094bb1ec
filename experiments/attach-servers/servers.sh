# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash disable=SC2154,SC2034 # work and scratch are set, target, rate and load are read by run.sh
# Servers from the module proxy, pinned. prepared NAME builds $work/bin/NAME once. command_NAME DATA sets `target`, `load` (of
# load/main.go) and `rate`; ready_NAME waits until it answers.
export GOFLAGS="-buildvcs=false"
COREDNS=v1.15.0 ETCD=v3.5.17 PROMETHEUS=v0.55.1 MAILPIT=v1.33.1 OAUTH2_PROXY=v7.15.6
RATE_coredns=${RATE_coredns:-5000} RATE_etcd=${RATE_etcd:-300} RATE_prometheus=${RATE_prometheus:-40}
RATE_mailpit=${RATE_mailpit:-100} RATE_oauth2_proxy=${RATE_oauth2_proxy:-500}

prepared() { # PROGRAM
	[ ! -e "$work/$1.ready" ] || return 0
	"prepare_$1"
	: >"$work/$1.ready"
}
# Modules that `go install` refuses for their replacements are built in a copy, without those that name a folder beside them.
build_copy() { # NAME MODULE@VERSION PACKAGE
	local dir replaced
	dir=$(cd "$work" && go mod download -json "$2" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
	rm -rf "$work/$1.source"
	cp -r "$dir" "$work/$1.source"
	chmod -R u+w "$work/$1.source"
	(cd "$work/$1.source"
		for replaced in $(sed -n 's/^\(replace\)\{0,1\}[[:space:]]*\([^[:space:]]*\) => \.\{1,2\}\/.*/\2/p' go.mod); do
			go mod edit -dropreplace="$replaced"
		done
		go build -mod=mod -o "$work/bin/$1" "$3")
	rm -rf "$work/$1.source"
}
answers() { # COMMAND...: within a minute
	local i
	for i in $(seq 600); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	echo "no answer: $*" >&2
	return 1
}
listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); } # PORT

prepare_coredns() { GOBIN=$work/bin go install "github.com/coredns/coredns@$COREDNS"; }
command_coredns() {
	printf '.:15353 {\n\twhoami\n\thealth 127.0.0.1:15354\n}\n' >"$1/Corefile"
	target=("$work/bin/coredns" -conf "$1/Corefile")
	load=(dns 127.0.0.1:15353)
	rate=$RATE_coredns
}
ready_coredns() { answers listens 15354; }

prepare_etcd() { build_copy etcd "go.etcd.io/etcd/server/v3@$ETCD" .; }
command_etcd() {
	target=("$work/bin/etcd" --data-dir "$1" --listen-client-urls http://127.0.0.1:15379 --advertise-client-urls
		http://127.0.0.1:15379 --listen-peer-urls http://127.0.0.1:15380 --log-level error --unsafe-no-fsync)
	load=(http http://127.0.0.1:15379/v3/kv/put '{"key":"Zm9v","value":"YmFyYmFyYmFyYmFyYmFy"}')
	rate=$RATE_etcd
}
ready_etcd() { answers listens 15379; }

prepare_prometheus() { build_copy prometheus "github.com/prometheus/prometheus@$PROMETHEUS" ./cmd/prometheus; }
command_prometheus() {
	printf 'global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: self\n  static_configs: [{targets: ["127.0.0.1:15390"]}]\n' >"$1/config.yml"
	target=("$work/bin/prometheus" "--config.file=$1/config.yml" "--storage.tsdb.path=$1/data" --web.listen-address=127.0.0.1:15390
		--log.level=error)
	load=(http 'http://127.0.0.1:15390/api/v1/query?query=sum+by+(job)(rate(prometheus_http_requests_total[30s]))')
	rate=$RATE_prometheus
}
ready_prometheus() { answers listens 15390; }

prepare_mailpit() { GOBIN=$work/bin go install "github.com/axllent/mailpit@$MAILPIT"; }
command_mailpit() {
	target=("$work/bin/mailpit" --listen 127.0.0.1:15825 --smtp 127.0.0.1:15826 --database "$1/mails" --quiet)
	load=(http http://127.0.0.1:15825/api/v1/send
		'{"From":{"Email":"a@example.org"},"To":[{"Email":"b@example.org"}],"Subject":"order","Text":"Please send three."}')
	rate=$RATE_mailpit
}
ready_mailpit() { answers listens 15825; }

prepare_oauth2_proxy() { GOBIN=$work/bin go install "github.com/oauth2-proxy/oauth2-proxy/v7@$OAUTH2_PROXY" && mv "$work/bin/oauth2-proxy" "$work/bin/oauth2_proxy"; }
command_oauth2_proxy() {
	target=("$work/bin/oauth2_proxy" --http-address=127.0.0.1:15418 --client-id=id --client-secret=secret --email-domain='*'
		--cookie-secret=0123456789abcdef0123456789abcdef --upstream=static://200 --skip-auth-route='.*'
		--request-logging=false)
	load=(http http://127.0.0.1:15418/)
	rate=$RATE_oauth2_proxy
}
ready_oauth2_proxy() { answers listens 15418; }
