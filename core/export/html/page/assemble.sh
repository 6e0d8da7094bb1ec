#!/bin/sh
# Makes the two halves of the page, before its data and after it:
# OUTDIR/page.head and OUTDIR/page.tail. The policy in the first names the style
# and the script by their hashes, so that nothing else in the file can run.
#   assemble.sh OUTDIR
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"

# The SHA-256 of standard input as a policy writes it. The printf of the system, not of the shell, knows \x.
hash() {
	hex=$(sha256sum | cut -c 1-64 | sed 's/../\\x&/g')
	env printf "$hex" | base64
}

{
	echo '"use strict";'
	echo '(() => {'
	for name in data names numbers paint parts changes table flame timeline timeline_draw timeline_loads wakers slow sankey sankey_map overview detail scope menu main; do
		grep -v '^[[:space:]]*//' "$here/$name.js"
	done
	echo '})();'
} >page.js
cp "$here/page.css" page.css
policy="default-src 'none'; style-src 'sha256-$(hash <page.css)'; script-src 'sha256-$(hash <page.js)'; base-uri 'none'; form-action 'none'"

{
	sed -n '1,/@style/p' "$here/page.html" | sed -e '/@style/d' -e "s|@policy|$policy|"
	printf '<style>'
	cat page.css
	printf '</style>\n'
	sed -n '/@style/,/@data/p' "$here/page.html" | sed -e '/@style/d' -e '/@data/d'
	printf '<script type="application/json" id="data">'
} >page.head
{
	printf '</script>\n<script>'
	cat page.js
	printf '</script>\n</body>\n</html>\n'
} >page.tail
