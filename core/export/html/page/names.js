// Names of functions: the package apart from the rest.

// The path of the package ends before the first '.' after the last '/', but for a '/' or '.' inside
// brackets (type arguments), and for the version of a path such as gopkg.in/yaml.v3.
function split(name) {
	const bracket = name.search(/[[({]/), plain = bracket < 0 ? name : name.slice(0, bracket);
	const slash = plain.lastIndexOf("/"), from = slash + 1;
	let dot = name.indexOf(".", from);
	const version = slash >= 0 && dot >= 0 ? /^\.v\d+(?=\.)/.exec(name.slice(dot)) : null;
	if (version) dot += version[0].length;
	return dot < 0 ? ["", name] : [name.slice(0, dot), name.slice(dot + 1)];
}

// "ants" of github.com/panjf2000/ants/v2, "yaml" of gopkg.in/yaml.v3.
function lastOf(path) {
	const parts = path.split("/");
	let last = parts.pop();
	if (/^v\d+$/.test(last) && parts.length) last = parts.pop();
	return last.replace(/\.v\d+$/, "");
}

F.pkg = [];
F.short = [];
for (const name of F.names) {
	const [path, rest] = split(name);
	F.pkg.push(path);
	F.short.push(path ? lastOf(path) + "." + rest : name);
}

const label = (f) => S.full ? F.names[f] : F.short[f];

// Of the functions searched for; null without a search.
let hits = null;
function search(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	hits = words.length ? new Uint8Array(F.all) : null;
	let n = 0;
	for (let f = 0; hits && f < F.all; f++) {
		const name = F.names[f].toLowerCase();
		n += hits[f] = words.every((w) => name.includes(w)) ? 1 : 0;
	}
	return n;
}
