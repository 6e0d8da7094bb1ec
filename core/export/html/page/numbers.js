// Numbers as people read them: three digits, the unit apart.

const UNITS = [[1e3, 1, "ns"], [999.5e3, 1e3, "µs"], [999.5e6, 1e6, "ms"], [Infinity, 1e9, "s"]];

function digits(v) {
	return v.toFixed(v < 9.995 ? 2 : v < 99.95 ? 1 : 0);
}

// ["12.3", "ms"]
function parts(ns) {
	if (Number.isNaN(ns)) return ["–", ""];
	const [, unit, name] = UNITS.find(([limit]) => Math.abs(ns) < limit);
	const sign = ns < 0 ? "−" : "";
	return [sign + (unit === 1 ? String(Math.round(Math.abs(ns))) : digits(Math.abs(ns) / unit)), name];
}

const time = (ns) => parts(ns).join("\u202f").trim();
const count = (n) => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const plural = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");

// Shares below a tenth of a percent are not nothing.
function share(part, whole) {
	if (!whole || !part) return whole ? "0%" : "–";
	const p = 100 * part / whole;
	return p < 0.05 ? "<0.1%" : (p > 99.95 ? Math.round(p) : p.toFixed(1)) + "%";
}

const BY = {
	total: { name: "Total time", short: "Total", unit: "time", index: 0, column: "total_ns", key: "t" },
	self: { name: "Self time", short: "Self", unit: "time", index: 1, column: "self_ns", key: "s" },
	calls: { name: SAMPLES ? "Self samples" : "Calls", unit: "count", index: 2, column: "calls", key: "c" },
	grow: { name: "Stack growth", short: "Growth", unit: "time", index: 3, column: "morestack_ns", key: "m" },
};

if (SAMPLES) delete BY.grow; // is not seen

const amount = (v, by = S.by) => BY[by].unit === "time" ? time(v) : count(v);

// ---- elements; text is only ever text

function el(tag, attributes, ...children) {
	const e = tag.startsWith("svg:") ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) :
		document.createElement(tag);
	for (const [k, v] of Object.entries(attributes || {})) {
		if (k === "style") for (const [p, x] of Object.entries(v)) e.style.setProperty(p, x);
		else if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
		else if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? "" : v);
	}
	for (const c of children.flat(Infinity)) if (c !== null && c !== undefined) e.append(c);
	return e;
}

// What makes an element a button: it is pressed by a click, Enter or Space.
const pressable = (press, more) => ({ tabindex: 0, role: "button", onclick: press, ...more,
	onkeydown: (e) => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); press(); } } });

function timeCell(ns, signed = false) {
	const [number, unit] = ns ? parts(ns) : [Number.isNaN(ns) ? "–" : "0", ""];
	return [el("span", { class: unit ? "v" : "v none" }, (signed && ns > 0 ? "+" : "") + number), el("span", { class: "unit" }, unit)];
}

// Of a name, where it may go on in the next line: before a dot, a bracket and a word that begins with a capital letter.
const breakable = (name) => name.split(/(?=[.([]|(?<=[a-z])[A-Z])/).flatMap((part, i) => i ? [el("wbr"), part] : [part]);

// A function's name, its package in a lighter shade when it is shown.
function nameOf(f, full = S.full) {
	const name = el("span", { class: "fn" });
	if (full && F.pkg[f]) name.append(el("span", { class: "pkg" }, F.pkg[f] + "."), ...breakable(F.names[f].slice(F.pkg[f].length + 1)));
	else name.append(...breakable(full ? F.names[f] : F.short[f]));
	return name;
}

// A name in a cell that may be too narrow: the package and the receiver give way, the rest stays. `more`: letters beside it.
function nameIn(f, more = 0) {
	const name = label(f), at = S.full && F.pkg[f] ? F.pkg[f].length : name.indexOf("."), method = /^\.\(\*?[^()]*\)/.exec(name.slice(at));
	const front = at > 0 ? at + (method ? method[0].length : 0) : 0;
	return el("span", { class: "fn" }, front ? el("span", { class: "front", style: { "max-width": `calc(100% - ${name.length - front + more}ch)` } }, name.slice(0, front)) : null, name.slice(front));
}

const swatch = (f) => el("span", { class: "swatch", style: { background: colour(f) } });

// Bars for a part and, in front of it, a part of that.
function meter(...shares) {
	return el("div", { class: "meter" }, shares.map((s) =>
		el("i", { style: { width: Math.max(0, Math.min(100, 100 * s)).toFixed(2) + "%" } })));
}
