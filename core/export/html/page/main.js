// The state of the page and what changes it.

const VIEWS = {
	overview: { name: "Overview", render: renderOverview },
	table: { name: "Functions", render: renderTable, address: tableAddress, from: tableFrom, key: tableKey, box: "rows" },
	flame: { name: "Flame graph", render: renderFlame, address: flameAddress, from: flameFrom, key: flameKey, box: "flame" },
	...(TL && !WAS ? { timeline: { name: "Timeline", render: renderTimeline, address: timelineAddress, from: timelineFrom, key: timelineKey, box: "timeline" } } : {}),
	...(SLOW.size && !WAS ? { slow: { name: "Slow calls", render: renderSlow, key: slowKey } } : {}),
	sankey: { name: "Sankey", render: renderSankey, key: sankeyKey, box: "sankey" },
};
const S = { view: "overview", by: "total", pick: PICKS[0], focus: -1, call: -1, parked: false, hidden: [], full: false, query: "" };

// ---- drawing, once a frame at most

const waiting = new Set();
function later(draw) {
	if (!waiting.size) requestAnimationFrame(() => {
		const all = [...waiting];
		waiting.clear();
		for (const d of all) d();
	});
	waiting.add(draw);
}

// The last step that the address tells of; going: the browser goes back to one.
const address = { step: null, going: false, timer: 0 };

function render() {
	for (const key of Object.keys(VIEWS)) {
		$("view-" + key).hidden = key !== S.view;
		const tab = $("tab-" + key);
		tab.setAttribute("aria-selected", key === S.view);
		tab.tabIndex = key === S.view ? 0 : -1;
	}
	for (const [key] of Object.entries(BY)) {
		const b = $("by-" + key);
		b.setAttribute("aria-checked", key === S.by);
		b.tabIndex = key === S.by ? 0 : -1;
		b.title = BY[key].name + " (" + BY[key].key + ")";
	}
	$("by").hidden = ["overview", "timeline", "slow"].includes(S.view);
	$("picker").hidden = WAS || (PICKS.length < 3 && S.pick.kind !== "stretch");
	$("estimated").hidden = S.pick.kind !== "stretch";
	$("estimated").textContent = S.pick.kind === "stretch" ? stretchNote(S.pick) : "";
	$("stretch").hidden = $("stretch").disabled = S.pick.kind !== "stretch";
	if (S.pick.kind === "stretch") {
		$("stretch").value = S.pick.key;
		$("stretch").textContent = stretchName(S.pick);
	}
	$("pick").value = S.pick.key;
	$("full").checked = S.full;
	renderScope();
	renderDetail();
	VIEWS[S.view].render();
	writeAddress();
}

// All that is needed to see the same again.
function hashOf() {
	const parts = { view: S.view, by: S.by, pick: sankey.auto ? "" : S.view === "sankey" && busiest() ? S.pick.key : S.pick.key.replace(/^all$/, ""), focus: S.focus >= 0 ? F.key[S.focus] : "", q: S.query, parked: S.parked ? "1" : "", call: slowCall() ? String(S.call) : "",
		full: S.full ? "1" : "", hide: S.hidden.map((f) => F.key[f]).join("\n"), ...(VIEWS[S.view].address ? VIEWS[S.view].address() : {}) };
	return "#" + new URLSearchParams(Object.entries(parts).filter(([k, v]) => v && v !== { view: "overview", by: "total" }[k])).toString();
}

function writeAddress() {
	// The back button goes to the view, goroutines and function before; typing, columns and zooming are no steps.
	const step = [S.view, S.pick.key, S.focus, S.call, S.parked, ...S.hidden].join(" ");
	if (address.step !== null && address.step !== step && !address.going) history.pushState(null, "", hashOf());
	else history.replaceState(null, "", hashOf());
	address.step = step;
}

// What changes with each move of the wheel is written once it rests: browsers refuse a page that writes too often.
function remember() {
	clearTimeout(address.timer);
	address.timer = setTimeout(() => { if (!waiting.size) history.replaceState(null, "", hashOf()); else remember(); }, 250);
}

function set(change) {
	if (change.call === undefined && (change.focus !== undefined || (change.view && change.view !== "timeline"))) S.call = -1;
	const from = S.view;
	Object.assign(S, change);
	if (change.pick && S.view === "sankey") Object.assign(sankey, { asked: true, auto: null });
	if (change.pick && S.view !== "sankey" && change.pick.kind !== "all") sankey.asked = true;
	beginSankey(from, S.view);
	if (change.view === "overview" && S.pick.kind !== "all") S.pick = PICKS[0];
	if (change.pick && S.view === "overview" && change.pick.kind !== "all") S.view = "flame";
	hideTip();
	render();
}

const focusOn = (f) => set({ focus: f });
const clearFocus = () => { if (S.focus >= 0) set({ focus: -1 }); };

function sayFound(n) {
	$("found").textContent = !hits ? "" : n < 0 ? "no expression" : n ? plural(n, "function") + ", " + foundShare() : "none";
}

// To those who do not see pictures.
function say(what) {
	$("said").textContent = what;
}

function find(query) {
	S.query = query;
	sayFound(search(query));
	if (query && S.view === "overview") S.view = "table";
	render();
}

function setTheme(to) {
	theme = to;
	document.documentElement.dataset.theme = to;
	render();
}

// ---- the tip

function showTip(t, x, y) {
	const tip = $("tip"), rows = t.rows.map(([k, v, p]) => [el("dt", {}, k), el("dd", {}, v), el("dd", {}, p)]);
	const marks = [t.recursion ? "calls itself, at most " + count(t.recursion) + " deep" : "",
		t.suspect ? plural(t.suspect, "call") + " suspect: an event was lost or does not fit, times may be wrong" : "",
		t.unfinished ? plural(t.unfinished, "call") + " of which only a part is in the trace" : "",
		t.unwound ? plural(t.unwound, "call") + " unwound by a panic or Goexit" : ""].filter(Boolean);
	const group = t.group ? PICKS.find((p) => p.kind === "group" && p.group === t.group) : null;
	tip.replaceChildren(...[t.f === undefined ? el("div", { class: "fn" }, t.heading) : el("div", {}, t.go ? el("span", { class: "go" }, "go") : null, nameOf(t.f, true)),
		t.where ? el("div", { class: "where" }, t.where) : null,
		t.f !== undefined && F.file[t.f] ? el("div", { class: "where" }, F.file[t.f] + ":" + F.line[t.f]) : null,
		group && group.at ? el("div", { class: "where" }, "started at " + group.at + (group.in ? " in " + group.in : "")) : null,
		el("dl", {}, rows), ...marks.map((m) => el("p", { class: "mark" }, m))].filter(Boolean));
	tip.hidden = false;
	const r = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - r.width - 8)) + "px";
	tip.style.top = (y + 18 + r.height > innerHeight ? Math.max(4, y - r.height - 12) : y + 18) + "px";
}

function hideTip() {
	$("tip").hidden = true;
}

// ---- the pointer over a picture: a drag pans, a click chooses, the wheel zooms

function drags(box, on) {
	let from = null, moved = false;
	const at = (e) => { const r = box.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
	box.addEventListener("pointerdown", (e) => {
		if (e.button) return;
		from = [e.clientX, e.clientY];
		moved = false;
		if (on.down) on.down(...at(e), e);
	});
	box.addEventListener("pointermove", (e) => {
		if (!from) return on.hover(...at(e), e);
		const dx = e.clientX - from[0], dy = e.clientY - from[1];
		if (!moved && Math.hypot(dx, dy) < 4) return;
		if (!moved) {
			moved = true;
			box.setPointerCapture(e.pointerId);
			box.classList.add("moving");
			hideTip();
		}
		from = [e.clientX, e.clientY];
		on.move(dx, dy, ...at(e));
	});
	const end = (e) => {
		if (from && on.up) on.up(moved && e.type === "pointerup");
		if (from && !moved && e.type === "pointerup") on.click(...at(e), e);
		from = null;
		box.classList.remove("moving");
	};
	box.addEventListener("pointerup", end);
	box.addEventListener("pointercancel", end);
	box.addEventListener("pointerleave", hideTip);
	box.addEventListener("wheel", (e) => { e.preventDefault(); on.wheel(e, ...at(e)); }, { passive: false });
}

// ---- keys

const KEYS = [["Views", [[Object.keys(VIEWS).map((_, i) => i + 1).join(" "), Object.values(VIEWS).map((v) => v.name).join(", ")], ["t s c m", "total time, self time, calls, stack growth"],
	["/", "search: words, or /a regular expression"], ["g", "choose goroutines"], ["n", "full names or short ones"], ["d", "light or dark"], ["menu key", "what can be done with a function, as the right button does"], ["Esc", "back: search, function, zoom"]]],
["Functions", [["↑ ↓", "another row, with its callers and callees"]]],
["Flame graph", [["↑ ↓ ← →", "caller, callee, siblings"], ["Enter", "zoom to the frame"], ["+ −", "zoom"], ["0", "whole graph"], ["i", "callees below or above"],
	["wheel, drag", "zoom, pan; with Shift the wheel scrolls"]]],
...(VIEWS.timeline ? [["Timeline", [["← →", "earlier, later"], ["↑ ↓", "another row"], ["Enter", "open or close the goroutines of a go statement"], ["+ − 0", "zoom; the whole line"],
	["[ ]", "the slowest calls, of the function in focus or of all"], ["wheel, drag", "zoom, pan; on the time line, or with Shift, a drag chooses a stretch"]]]] : []),
["Sankey", [["Tab", "from function to function"], ["Enter", "its callers and callees alone"], ["arrows, + −", "pan, zoom"], ["0", "fit"]]]];

function showHelp() {
	$("help").replaceChildren(el("h2", {}, "Keys"), ...KEYS.flatMap(([title, rows]) => [el("h3", {}, title),
		el("dl", {}, rows.map(([k, what]) => [el("dt", {}, k.split(" ").map((x) => el("kbd", {}, x))), el("dd", {}, what)]))]),
	el("p", {}, el("button", { type: "button", onclick: () => $("help").close() }, "Close")));
	$("help").showModal();
}

function escape() {
	if (S.query) { $("search").value = ""; find(""); }
	else if (S.focus >= 0) clearFocus();
	else if (S.view === "flame" && flame.to - flame.from < 1) zoomTo(0);
	else if (S.pick.kind === "stretch") set({ pick: PICKS[0] });
	else if (S.view === "timeline") showStretch(0, 1);
	else if (S.view === "sankey") fit();
	hideTip();
}

function onKey(e) {
	if (!$("menu").hidden || e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
	const typing = e.target.matches("input[type=search], input[type=range], select");
	if (e.key === "Escape") { escape(); if (typing) e.target.blur(); return; }
	if (typing) return;
	const view = Object.keys(VIEWS)[Number(e.key) - 1], by = Object.keys(BY).find((k) => BY[k].key === e.key);
	const keys = { "/": () => $("search").focus(), "?": showHelp, d: () => $("theme").click(), n: () => $("full").click(), g: () => $("pick").focus() };
	if (view) { set({ view }); (VIEWS[view].box ? $(VIEWS[view].box) : $("view-" + view)).focus({ preventScroll: true }); }
	else if (by && S.view !== "overview") set({ by });
	else if (keys[e.key]) keys[e.key]();
	else if (e.target.matches("button, input") && (e.key === "Enter" || e.key === " ")) return;
	else if (!VIEWS[S.view].key || !VIEWS[S.view].key(e)) return;
	e.preventDefault();
}

// Arrow keys between the buttons of a group that are there.
function arrows(box) {
	box.addEventListener("keydown", (e) => {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		if (!step) return;
		const all = [...box.children].filter((b) => b.getClientRects().length), to = all[(all.indexOf(e.target) + step + all.length) % all.length];
		to.focus();
		to.click();
		e.stopPropagation();
		e.preventDefault();
	});
}

// ---- the top of the page

function warningOf(t, name = "") {
	const says = [];
	if (t.lost_events || t.loss_records) says.push(plural(t.lost_events, "event") + " lost in " + plural(t.loss_records, "gap"));
	if (t.suspect_calls) says.push(plural(t.suspect_calls, "call") + " suspect, " + share(t.suspect_ns, t.root_ns) + " of the time");
	if (!t.complete) says.push(t.recording ? "the trace was still being recorded" : "the trace is incomplete (no end record)");
	if (t.info["end.missed_images"] > 0) says.push("the process executed itself again unseen: counts and times are too small");
	if (t.bad_events) says.push(plural(t.bad_events, "event") + " could not be interpreted");
	if (t.info["end.layout_wrong"] > 0) says.push("the layout of runtime.g may be wrong: do not trust these times");
	return says.length ? name + says.join("; ") + "." : "";
}

function header() {
	const t = D.trace, path = t.info["binary.path"] || t.info.command || (t.programs || "").replace(/, pid \d+$/, "") || "trace", name = path.split("/").pop();
	document.title = (WAS ? "changes: " : "") + name + " · gotrace";
	$("title").textContent = name;
	$("facts").textContent = WAS ? "A: " + D.was.file + "   →   B: " + D.file :
		["ran " + time(Number(t.info["end.target_wall_ns"]) || t.duration_ns), plural(t.calls, ONE), plural(t.goroutines, "goroutine"), t.info["go.version"]].filter(Boolean).join(" · ");
	const warning = WAS ? warningOf(D.was.trace, "A: ") + " " + warningOf(t, "B: ") : warningOf(t);
	$("warning").textContent = warning.trim();
	$("warning").hidden = !warning.trim();
}

function controls() {
	$("tabs").append(...Object.entries(VIEWS).map(([key, v]) => el("button", { type: "button", role: "tab", id: "tab-" + key,
		"aria-controls": "view-" + key, onclick: () => set({ view: key }) }, v.name)));
	$("by").append(...Object.entries(BY).map(([key, v]) => el("button", { type: "button", role: "radio", id: "by-" + key, onclick: () => set({ by: key }) }, v.short || v.name)));
	const option = (p) => el("option", { value: p.key }, pickName(p) + (p.kind === "all" ? "" : "  " + time(p.weight)) + (p.kind === "group" && p.group && p.goroutines ? ", " + count(p.goroutines) : ""));
	const groups = PICKS.filter((p) => p.kind === "group" && p.weight), single = PICKS.filter((p) => p.kind === "goroutine");
	$("pick").append(option(PICKS[0]), el("option", { id: "stretch", hidden: true }), el("optgroup", { label: "by go statement" }, groups.map(option)),
		el("optgroup", { label: single.length < D.trace.goroutines ? "the heaviest " + single.length : "single" }, single.map(option)));
	$("pick").addEventListener("change", (e) => set({ pick: PICKS.find((p) => p.key === e.target.value) || S.pick }));
	$("search").addEventListener("input", (e) => find(e.target.value));
	$("full").addEventListener("change", (e) => set({ full: e.target.checked }));
	$("theme").addEventListener("click", () => setTheme(theme === "dark" ? "light" : "dark"));
	$("keys").addEventListener("click", showHelp);
	document.addEventListener("keydown", onKey);
	arrows($("tabs"));
	arrows($("by"));
	addEventListener("resize", () => later(() => VIEWS[S.view].render()));
}

// "#view=flame&by=self" and so on, as the page writes it.
function fromAddress() {
	const q = new URLSearchParams(location.hash.slice(1)), unknown = [], view = q.get("view") === "functions" ? "table" : q.get("view");
	const known = (key, is) => { if (q.get(key) && !is) unknown.push(q.get(key)); return is; };
	clearTimeout(address.timer);
	if (known("view", Object.hasOwn(VIEWS, view || "") || view === "overview")) S.view = view;
	if (known("by", Object.hasOwn(BY, q.get("by") || ""))) S.by = q.get("by");
	S.pick = PICKS.find((p) => p.key === q.get("pick")) || stretchOf(q.get("pick"));
	if (!known("pick", S.pick)) S.pick = PICKS[0];
	Object.assign(sankey, { asked: q.get("pick") !== null, auto: null });
	beginSankey("", S.view);
	S.focus = funcOf(q.get("focus"));
	known("focus", S.focus >= 0);
	const hide = (q.get("hide") || "").split("\n").filter(Boolean);
	S.hidden = hide.map(funcOf).filter((f) => f >= 0);
	unknown.push(...hide.filter((name) => funcOf(name) < 0));
	S.full = q.get("full") === "1";
	setParked(q.get("parked") === "1" && parkedCount > 0);
	S.call = SLOW.has(S.focus) && /^\d+$/.test(q.get("call") || "") && Number(q.get("call")) < SLOW.get(S.focus).length ? Number(q.get("call")) : -1;
	if (q.get("q")) {
		$("search").value = S.query = q.get("q");
		sayFound(search(S.query));
	}
	if (VIEWS[S.view].from) VIEWS[S.view].from(q);
	$("unknown").hidden = !unknown.length;
	$("unknown").textContent = unknown.length ? "The address names " + unknown.join(", ") + ". That is not in this page." : "";
}

// As it was before, when the browser goes back.
function goBack() {
	Object.assign(S, { view: "overview", by: "total", query: "" });
	$("search").value = "";
	search("");
	sayFound(0);
	address.going = true;
	fromAddress();
	render();
	address.going = false;
}
addEventListener("popstate", goBack);

header();
controls();
startTable();
startFlame();
startTimeline();
startSankey();
startMenu();
fromAddress();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
$("cut").remove();
document.documentElement.dataset.ready = "1";
