// The slowest calls of each function: what they spent their time on, and the way to them on the timeline.

// By function, the slowest first.
const SLOW = new Map();
{
	const numbers = list(D.slow || "");
	for (let i = 0; i < numbers.length;) {
		const f = numbers[i++], calls = [];
		SLOW.set(f, calls);
		for (let n = numbers[i++], ns = 0; n; n--) {
			ns = calls.length ? ns - numbers[i++] : numbers[i++];
			const c = { f, k: calls.length, ns, start: numbers[i++], goid: numbers[i++], image: Math.floor(numbers[i] / 2), system: numbers[i++] % 2 === 1, level: numbers[i++], parts: [] };
			for (let parts = numbers[i++]; parts; parts--, i += 2) c.parts.push([numbers[i], numbers[i + 1]]);
			c.parts = ordered(c.parts);
			const rest = ns - sumOf(c.parts);
			if (c.parts.length && rest > 0) c.parts.push([3, rest]);
			calls.push(c);
		}
	}
}

const slowCall = () => S.call >= 0 && SLOW.has(S.focus) ? SLOW.get(S.focus)[S.call] : null;
const slowParts = (c) => [...c.parts].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([code, ns]) => codeName(code) + " " + time(ns)).join(", ");

// To a call, on the timeline.
const goToCall = (f, k) => set({ view: "timeline", focus: f, call: k, pick: PICKS[0] });

const whoRan = (c) => (c.system ? "thread " : "goroutine ") + c.goid + (c.image ? " of image " + (c.image + 1) : "");

function slowRow(c, most, said) {
	return el("tr", { class: "row" + (c.k === S.call ? " current" : ""), onclick: () => said() },
		el("td", {}, el("button", { type: "button", onclick: (e) => { e.stopPropagation(); said(); } }, time(c.start))),
		el("td", { class: "num" }, timeCell(c.ns)), el("td", { class: "wide" }, partsBar(c.parts, c.ns, c.ns / most)),
		el("td", {}, mostly(c.parts, c.ns)), el("td", { class: "num more" }, (c.system ? "thread " : "") + c.goid));
}

function slowTable(heads, rows) {
	return el("table", { class: "slow" }, el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col", class: h === "took" || h === "slowest" ? "num" : h === "goroutine" || h === MANY ? "num more" : null }, h)))), el("tbody", {}, rows));
}

const slowCalls = (f, n = 50) => { const calls = SLOW.get(f).slice(0, n); return slowTable(["at", "took", "spent on", "mostly", "goroutine"], calls.map((c) => slowRow(c, calls[0].ns, () => goToCall(f, c.k)))); };

function slowFunctions() {
	const found = [...SLOW].filter(([f]) => !hits || hits[f]).sort((a, b) => F.total_ns[b[0]] - F.total_ns[a[0]] || a[0] - b[0]);
	return found.length ? slowTable(["function", MANY, "slowest", "spent on", "mostly"], found.map(([f, calls]) => el("tr", { class: "row", "data-f": f, onclick: () => focusOn(f) },
		el("td", { class: "name", title: F.names[f] }, el("button", { type: "button", onclick: (e) => { e.stopPropagation(); focusOn(f); } }, nameOf(f))),
		el("td", { class: "num more" }, count(F.calls[f])), el("td", { class: "num" }, timeCell(calls[0].ns)),
		el("td", { class: "wide" }, partsBar(calls[0].parts, calls[0].ns)), el("td", {}, mostly(calls[0].parts, calls[0].ns))))) :
		el("p", { class: "none" }, "No function of that name has a call here.");
}

function renderSlow() {
	const f = S.focus, calls = SLOW.get(f);
	const head = calls ? [el("h2", {}, "The slowest " + plural(calls.length, "call") + " of ", nameOf(f, true)), el("p", { class: "sub" }, "Of " + plural(F.calls[f], "call") + ". A click shows one on the timeline, with all that it called."),
		el("p", {}, el("button", { type: "button", class: "plain", onclick: clearFocus }, "All functions"))] :
		[el("h2", {}, f >= 0 ? [nameOf(f, true), " has no call here"] : "The slowest call of each function"),
			el("p", { class: "sub" }, f >= 0 ? "Its calls are too short for the timeline, or other functions took more time." : "A click shows the slowest calls of a function. Times are as measured, waiting included.")];
	$("view-slow").replaceChildren(el("div", { class: "slow-head" }, head), calls ? slowCalls(f) : slowFunctions());
}

function slowKey(e) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[e.key], all = [...$("view-slow").querySelectorAll("tr.row button")];
	if (!step || !all.length) return false;
	all[Math.max(0, Math.min(all.length - 1, all.indexOf(document.activeElement) + step))].focus();
	return true;
}

// ---- on the timeline

// Which of its function's slowest calls is looked at, and the way to the others.
function callCrumb() {
	const c = slowCall();
	if (!c) return null;
	const all = SLOW.get(c.f), lane = laneOf(c);
	return el("span", { class: "crumb" }, el("b", {}, "Call " + (c.k + 1) + " of " + all.length), " of ", nameOf(c.f), ", " + time(c.ns) + (c.parts.length ? ": " + slowParts(c) : "") + (lane ? "" : "; " + whoRan(c) + " has no row") + ". ", wakerCrumb(),
		el("button", { type: "button", onclick: () => set({ view: "slow", call: -1 }) }, "All of them"));
}
