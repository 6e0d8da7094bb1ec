// What time was spent on: states of goroutines, and of waits their reasons; drawn as one bar everywhere.

// By code, as states and slow calls name it: what it is called, and the kind that has its colour.
const CODES = { 0: ["state unknown", "unknown"], 1: ["running", "run"], 2: ["runnable", "ready"], 3: ["waiting", "other"], 4: ["in system calls", "syscall"], 6: ["without a processor", "off-cpu"] };
for (const [code, [name, kind]] of Object.entries(D.codes || {}))
	CODES[code] ||= [(code & 255) === 6 ? CODES[6][0] : name.replace(/^waiting: /, ""), kind];
const CODE_OF = { run: 1, ready: 2, wait: 3, syscall: 4, unknown: 0, "off-cpu": 6 };
const codeName = (code) => (CODES[code] || CODES[0])[0];
const briefName = (code) => codeName(code).replace(/^sync\.(\w+)\.Wait\b/, "$1").replace(/^sync\./, "").replace("without a", "no").replace("in system calls", "system call");
const kindOf = (code) => (CODES[code] || CODES[0])[1];
const kindInk = (kind) => `var(--kind-${kind})`;

// Waits, one after the other: a node's own, for one reason. Those of parked goroutines count only if they are asked for.
const WAITS = { node: [], code: [], ns: [] };
{
	const numbers = list(D.waits || "");
	for (let i = 0, at = 0; i < numbers.length; i += 3) {
		WAITS.node.push(at += numbers[i]);
		WAITS.code.push(numbers[i + 1]);
		WAITS.ns.push(numbers[i + 2]);
	}
}

// What runs first, then what would, then waits, the longest first. Codes of one name are one part: the runtime has two reasons "preempted".
const KIND_ORDER = ["run", "ready", "off-cpu", "syscall"];
function ordered(sums) {
	const place = ([code]) => { const k = KIND_ORDER.indexOf(kindOf(code)); return k < 0 ? kindOf(code) === "unknown" ? 9 : 8 : k; };
	const byName = new Map();
	for (const [code, ns] of sums) {
		const part = byName.get(codeName(code)) || [code, 0];
		part[1] += ns;
		byName.set(codeName(code), part);
	}
	return [...byName.values()].filter(([, ns]) => ns > 0).sort((a, b) => place(a) - place(b) || b[1] - a[1]);
}

// Adds up, for each thing that a node belongs to, what its nodes spent their own time on; null where that is not known.
function partsBy(v, of) {
	if (!v.states) return null;
	const all = new Map(), put = (key, code, ns) => {
		const sums = all.get(key) || new Map();
		all.set(key, sums.set(code, (sums.get(code) || 0) + ns));
	};
	for (const [k, [, , name]] of STATES.entries())
		for (let i = 1; i < T.n; i++) if (v.states[k][i] && of(i) >= 0) put(of(i), CODE_OF[name], v.states[k][i]);
	// A wait of which there is a reason is in the state's sum, too.
	const hidden = hiddenNodes();
	for (const [k, node] of WAITS.node.entries()) {
		if (hidden && hidden[node]) continue;
		const key = of(node), sums = all.get(key), left = sums && sums.get(3);
		if (key < 0 || !left || (S.pick.kind === "group" && T.group[node] !== S.pick.group)) continue;
		const ns = Math.min(left, WAITS.ns[k]);
		sums.set(3, left - ns);
		put(key, WAITS.code[k], ns);
	}
	return all;
}

// Of each function its own time, of what is picked.
let ownParts = { key: null, all: null };
function partsOfFunc(f) {
	const key = scopeKey();
	if (ownParts.key !== key) ownParts = { key, all: partsBy(valuesOf(S.pick), (i) => T.func[i]) };
	const sums = ownParts.all && ownParts.all.get(f);
	return sums ? ordered(sums) : null;
}

// Of a function with all that it called on its goroutines.
function partsBelow(f) {
	const inside = new Uint8Array(T.n);
	for (let i = 1; i < T.n; i++) inside[i] = T.func[i] === f || (inside[T.parent[i]] && !T.go[i]) ? 1 : 0;
	const all = partsBy(valuesOf(S.pick), (i) => inside[i] ? 0 : -1);
	return all && all.get(0) ? ordered(all.get(0)) : null;
}

const sumOf = (parts) => parts.reduce((sum, [, ns]) => sum + ns, 0);
const partText = (parts, whole, n = 9) => [...parts].sort((a, b) => b[1] - a[1]).slice(0, n).map(([code, ns]) => codeName(code) + " " + share(ns, whole)).join(", ");

// A bar that is `part` of its place wide, in the colours of what it stands for.
function partsBar(parts, whole, part = 1) {
	return el("span", { class: "parts", role: "img", "aria-label": partText(parts, whole) || "nothing", title: partText(parts, whole) },
		parts.map(([code, ns]) => el("i", { style: { width: (100 * part * ns / (whole || 1)).toFixed(2) + "%", background: kindInk(kindOf(code)) } })));
}

// What most of it was, with its share; in grey where nothing has a third. brief: for narrow cells.
function mostly(parts, whole, brief = false) {
	const [code, ns] = parts.reduce((m, p) => p[1] > m[1] ? p : m, [0, 0]);
	return ns ? el("span", { class: ns < whole / 3 ? "none" : "why" }, brief ? briefName(code) + " " + Math.round(100 * ns / whole) + "%" : codeName(code) + " " + share(ns, whole)) : el("span", { class: "none" }, "–");
}

function partsLegend(parts, whole) {
	return el("dl", { class: "parts-legend" }, [...parts].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([code, ns]) => el("div", {},
		el("dt", {}, el("span", { class: "swatch", style: { background: kindInk(kindOf(code)) } }), codeName(code)), el("dd", {}, share(ns, whole)))));
}
