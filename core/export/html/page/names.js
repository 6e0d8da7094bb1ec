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

// Text that fits into so many pixels, its middle left out.
function fitting(text, pixels, letter) {
	const most = Math.floor(pixels / letter);
	if (most < 3) return "";
	return text.length <= most ? text : text.slice(0, Math.ceil((most - 1) / 2)) + "…" + text.slice(text.length - Math.floor((most - 1) / 2));
}

// A function's name in so many pixels: without its package, which its colour says, then without its receiver, before letters are left out.
function fittingName(f, before, pixels, letter) {
	const bare = F.pkg[f] ? F.names[f].slice(F.pkg[f].length + 1) : F.names[f], names = [label(f), bare, bare.replace(/^\(\*[^()]*\)\./, "")];
	const name = names.find((s) => (before.length + s.length) * letter <= pixels), most = Math.floor(pixels / letter) - before.length;
	return name ? before + name : most < 7 ? "" : before + byWord(names[2], most); // of less nobody can tell what it was
}

// Words of a name: "fixImports.func1" has fix, Imports, .func1.
const wordsOf = (name) => name.match(/[._]?[A-Z]+(?![a-z])|[._]?[A-Z]?[^A-Z._]+|[._]/g) || [name];

// A name of so many letters at the most: words in the middle are left out before letters are.
function byWord(name, most) {
	if (name.length <= most) return name;
	const words = wordsOf(name);
	let front = "", back = words.pop();
	for (let turn = true; words.length; turn = !turn) {
		const word = turn ? words.shift() : words.pop(), grown = turn ? [front + word, back] : [front, word + back];
		if (grown[0].length + 1 + grown[1].length > most) break;
		[front, back] = grown;
	}
	if (!front && back.length + 3 < most) front = wordsOf(name)[0].slice(0, most - 1 - back.length);
	return front ? front + "…" + back : fitting(name, most, 1);
}

// A function's name in at most so many lines of so many letters: without its package, then without its receiver, then cut.
function linesOf(f, letters, most) {
	const bare = F.pkg[f] ? F.names[f].slice(F.pkg[f].length + 1) : F.names[f], last = bare.replace(/^\(\*?[^()]*\)\./, ""), names = [label(f), bare, last];
	const one = names.find((s) => s.length <= letters);
	const words = one ? [] : wordsOf(last), lines = [];
	for (let word = words.shift(); word; word = words.shift()) {
		const line = lines[lines.length - 1];
		if (line && line.length + word.length <= letters) lines[lines.length - 1] += word;
		else if (lines.length + 1 < most) lines.push(word);
		else { lines.push([word, ...words].join("")); break; }
	}
	return one ? [one] : lines.map((line) => byWord(line, letters));
}

// Of the functions searched for; null without a search.
let hits = null;
// Words that a name must all have, or /a regular expression/. How many functions; -1: it is no expression.
function search(query) {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	let matches = (name) => words.every((w) => name.toLowerCase().includes(w)), n = 0;
	hits = words.length ? new Uint8Array(F.all) : null;
	if (/^\/./.test(query)) {
		try {
			const pattern = new RegExp(query.slice(1).replace(/\/$/, ""), "i");
			matches = (name) => pattern.test(name);
		} catch { return -1; }
	}
	for (let f = 0; hits && f < F.all; f++) n += hits[f] = matches(F.names[f]) ? 1 : 0;
	return n;
}

// The time of what was found and all below it, each moment once, of all.
function foundShare() {
	const inside = new Uint8Array(T.n);
	let sum = 0, whole = 0;
	for (let i = 1; i < T.n; i++) {
		const own = ALL.self[i] + ALL.grow[i] + ALL.preempt[i];
		inside[i] = inside[T.parent[i]] || hits[T.func[i]] ? 1 : 0;
		whole += own;
		if (inside[i]) sum += own;
	}
	return share(sum, whole);
}
