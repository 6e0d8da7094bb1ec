# Sourced: packages of a Debian suite, fetched by apt from lists of its own below $dir, so that apt
# checks signatures and checksums and the system's sources and packages stay as they are.
# shellcheck shell=bash
: "${dir:?the folder of lists and packages}" "${suite:?}" "${kernel:?}"
die() { echo "${0##*/}: $*" >&2; exit 1; }

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || die "$keyring is missing; run: ci/deps.sh matrix"
mkdir -p "$dir/lists/partial" "$dir/archives/partial"
echo "deb [arch=amd64 signed-by=$keyring] http://deb.debian.org/debian $suite main" >"$dir/sources.list"
options=(-qq -o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null
	-o "Dir::State::lists=$dir/lists" -o "Dir::Cache=$dir" -o Dir::State::status=/dev/null
	-o APT::Sandbox::User=root -o APT::Architecture=amd64 -o APT::Architectures=amd64
	-o Acquire::Languages=none -o Acquire::Retries=3
	-o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
# Without the last option apt-get ends with 0 when it could fetch nothing and has an older list.
apt-get "${options[@]}" -o APT::Update::Error-Mode=any update >&2 ||
	die "no kernel $kernel: $suite's package list cannot be fetched from http://deb.debian.org; KERNEL=path/to/vmlinuz needs no download"

depends() { # PACKAGE PATTERN: the newest dependency of that form
	apt-cache "${options[@]}" depends "$1" | sed -n "s/^ *Depends: \($2\)$/\1/p" | sort -V | tail -n 1
}
# What of a package matches, into $dir/archives without its folders and only when it is whole; nothing if
# nothing matches.
unpack() { # PACKAGE FILES
	local names name new=$dir/archives/new
	(cd "$dir/archives" && rm -rf ./*.deb new && mkdir new && apt-get "${options[@]}" download "$1") >&2 ||
		die "no kernel $kernel: $1 cannot be fetched from http://deb.debian.org"
	names=$(dpkg-deb --fsys-tarfile "$dir/archives/"*.deb | tar -t) || die "no kernel $kernel: $1 cannot be read"
	for name in $names; do
		# shellcheck disable=SC2053 # it is a pattern
		[[ $name == $2 ]] || continue
		dpkg-deb --fsys-tarfile "$dir/archives/"*.deb | tar -C "$new" --transform='s,.*/,,' -x "$name" ||
			die "no kernel $kernel: $name of $1 cannot be unpacked into $dir"
		mv "$new/${name##*/}" "$dir/archives/"
	done
	rm -rf "$dir/archives/"*.deb "$new"
}
