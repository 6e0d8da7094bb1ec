// Which goroutines count: those that worked, or those that were parked, too.

const PARKED = [];
{
	const numbers = list(D.parked || "");
	for (let i = 0; i < numbers.length; i += 4) PARKED.push({ node: numbers[i], code: numbers[i + 1], goroutines: numbers[i + 2], ns: numbers[i + 3] });
}
const parkedCount = PARKED.reduce((sum, p) => sum + p.goroutines, 0);

// Groups of which each goroutine was parked do not count either.
for (const p of PICKS) p.parked = PARKED.reduce((sum, x) => p.kind === "group" && T.group[x.node] === p.group ? sum + x.goroutines : sum, 0);
const worked = (p) => S.parked || !p.parked || p.parked < p.goroutines;

// Puts the waits of parked goroutines into all numbers, or takes them out.
function countParked(on) {
	const wait = STATES.findIndex(([, key]) => key === "wait_ns");
	for (const p of PARKED) {
		const ns = on ? p.ns : -p.ns, seen = new Set(), f = T.func[p.node], group = PICKS.find((g) => g.kind === "group" && g.group === T.group[p.node]);
		ALL.self[p.node] += ns;
		F.self_ns[f] += ns;
		if (wait >= 0) {
			F.wait_ns[f] += ns;
			if (ALL.states) ALL.states[wait][p.node] += ns;
		}
		if (group) group.weight += ns;
		for (let i = p.node; i; i = T.go[i] ? 0 : T.parent[i]) {
			ALL.total[i] += ns;
			if (!seen.has(T.func[i])) F.total_ns[T.func[i]] += ns;
			seen.add(T.func[i]);
		}
		for (const key of ["node", "code", "ns"]) if (on) WAITS[key].push(p[key]); else WAITS[key].pop();
	}
	for (const p of PICKS) p.values = null;
	statsCache = { key: null };
	wholeCache = {};
	ownParts = { key: null, all: null };
	belowCache = new Map();
	flame.key = table.key = overviewKey = null;
	timeline.open = null;
	timeline.all.clear();
}

function setParked(on) {
	if (on === S.parked) return;
	S.parked = on;
	countParked(on);
}

function renderScope() {
	$("scope").hidden = !parkedCount && !S.hidden.length;
	$("scope").replaceChildren(...(parkedCount ? parkedChips() : []), ...S.hidden.map((f) => el("button", { type: "button", class: "chip hides", title: "Show " + F.names[f] + " again",
		onclick: () => set({ hidden: S.hidden.filter((x) => x !== f) }) }, "without " + label(f) + " ×")));
}

function parkedChips() {
	return [el("span", { class: "chip", title: "Goroutines that worked: all but those that were parked" }, count(D.trace.goroutines - parkedCount) + " worked"),
		el("button", { type: "button", class: "chip parked", "aria-pressed": String(S.parked), onclick: () => { setParked(!S.parked); set({}); $("scope").querySelector(".parked").focus(); },
			title: "Parked: they waited in one place for nearly all of their life: " + PARKED.slice(0, 3).map((p) => count(p.goroutines) + " in " + label(T.func[p.node]) + " (" + codeName(p.code) + ")").join(", ") },
		count(parkedCount) + " parked, " + (S.parked ? "counted" : "left out"))];
}
