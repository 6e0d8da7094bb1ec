// The table of functions: sorted by any column, filtered by the search; only rows in sight exist.

// Of functions, for what is picked; distributions are known of all goroutines together only.
let statsCache = { key: null };
function stats() {
	if (statsCache.key === scopeKey()) return statsCache;
	if (S.pick.kind === "all" && !S.hidden.length)
		return statsCache = { key: scopeKey(), calls: F.calls, total: F.total_ns, self: F.self_ns, grow: F.morestack_ns, whole: true };
	const v = valuesOf(S.pick), outer = outermost(), r = { key: scopeKey(), whole: false };
	for (const key of ["calls", "total", "self", "grow"]) r[key] = new Float64Array(F.all);
	for (let i = 1; i < T.n; i++) {
		const f = T.func[i];
		r.calls[f] += v.calls[i];
		r.self[f] += v.self[i];
		r.grow[f] += v.grow[i];
		if (outer[i]) r.total[f] += v.total[i];
	}
	return statsCache = r;
}

// What stands for 100 %: all goroutines' time.
function wholeTime() {
	const v = valuesOf(S.pick);
	let sum = 0;
	for (let i = 1; i < T.n; i++) sum += v.self[i] + v.grow[i] + v.preempt[i];
	return sum;
}

const cell = (...content) => el("td", {}, ...content);
const timeColumn = (title, get, tip) => ({ title, get, tip, show: (f) => cell(timeCell(get(f))) });
const shareColumn = (title, key, tip) => ({
	title, tip, get: (f) => stats()[key][f],
	show: (f, whole) => cell(meter(whole ? stats()[key][f] / whole : 0),
		timeCell(stats()[key][f]), el("span", { class: "pct" }, share(stats()[key][f], whole))),
});
// What most of self was, and a bar of all that it was.
const spentColumn = { title: "spent on", text: true, tip: "self: what its goroutines did, and why they waited", get: (f) => { const p = partsOfFunc(f); return p ? codeName(p.reduce((m, x) => x[1] > m[1] ? x : m)[0]) : "~"; },
	show: (f, whole) => { const p = partsOfFunc(f); return p ? el("td", { class: "spent" }, el("span", {}, partsBar(p, sumOf(p)), mostly(p, sumOf(p)))) : cell(); } };
const known = (key) => (f) => stats().whole ? F[key][f] : NaN;

function marksOf(f) {
	if (!stats().whole) return "";
	const marks = [["suspect", "suspect"], ["unfinished", "unfinished"], ["unwound", "unwound"]];
	return marks.filter(([key]) => F[key][f]).map(([key, word]) => count(F[key][f]) + " " + word).join(", ");
}

const NAME = { title: "function", text: true, get: (f) => label(f), show: (f) => el("td", { title: F.names[f] }, swatch(f), innerWidth <= 600 && !S.full ? el("span", { class: "fn" }, F.short[f].replace(/^[^.(]*\./, "")) : nameOf(f),
	F.recursion.has(f) ? el("span", { class: "mark", title: "recursion: greatest depth" }, "↻ " + F.recursion.get(f)) : null,
	marksOf(f) ? el("span", { class: "mark" }, marksOf(f)) : null,
	changeMark(f)) };

// Which program's function it is, where there are several.
const PROGRAM = { title: "program", text: true, get: (f) => F.programs[f], show: (f) => el("td", { class: "program" }, F.programs[f]) };

function columnsOf() {
	const name = F.programs ? [NAME, PROGRAM] : [NAME];
	const calls = { title: MANY, by: "calls", get: (f) => stats().calls[f], show: (f) => cell(count(stats().calls[f])) };
	const self = { ...shareColumn("self", "self", "time in the function itself"), by: "self" };
	const total = { ...shareColumn("total", "total", SAMPLES ? "with all that was called below it" : "from entry to exit: with all that it called on its goroutine"), by: "total" };
	const grow = { ...timeColumn("growth", (f) => stats().grow[f], "time spent growing the stack when the function was entered"), by: "grow" };
	if (WAS)
		return [...name, ...changeColumns()];
	const states = STATES.filter(([, key]) => !["unknown_ns", "off_cpu_ns"].includes(key) || F[key].some((v) => v))
		.map(([title, key]) => timeColumn(title, known(key), "part of self: what its goroutines did"));
	const spent = STATES.length ? [spentColumn] : [];
	if (SAMPLES) return [...name, total, self, ...spent, ...states, calls];
	return [NAME, total, self, ...spent, calls,
		timeColumn("mean", known("mean_ns"), "of finished calls"), timeColumn("median", known("p50_ns"), "of finished calls"),
		timeColumn("p99", known("p99_ns"), "of finished calls"), timeColumn("min", known("min_ns")), timeColumn("max", known("max_ns")),
		grow, timeColumn("preempted", known("preempt_ns"), "time for which it was stopped at its entry to let other goroutines run"), ...states];
}

const table = { all: null, boxes: null, key: null, rows: [], sort: null, down: true, current: 0, columns: null, whole: 0 };
const ROW = 26;

function tableRows() {
	const key = [scopeKey(), S.query, table.all.indexOf(table.columns[table.sort]), table.down, S.full].join("\n");
	if (table.key === key) return;
	table.key = key;
	const v = stats(), column = table.columns[table.sort], rows = [];
	for (let f = 0; f < F.all; f++)
		if ((v.calls[f] || v.grow[f] || v.self[f] || (WAS && F.was.calls[f])) && (!hits || hits[f])) rows.push(f);
	const sign = table.down ? -1 : 1, size = (f) => column.size ? Math.abs(column.get(f)) : column.get(f);
	rows.sort((a, b) => {
		const x = size(a), y = size(b);
		if (column.text) return sign * (x < y ? -1 : x > y ? 1 : a - b);
		if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a - b;
		return sign * (x - y) || a - b;
	});
	table.rows = rows;
	table.whole = wholeTime();
	table.current = Math.max(0, rows.indexOf(S.focus));
}

function sortBy(i, down) {
	table.sort = i;
	table.down = down;
	if (table.columns[i].by) set({ by: table.columns[i].by });
	else render();
}

// In a narrow window only the measure has a column, and what was chosen or sorts the rows.
function chooseColumns(sorted) {
	const narrow = innerWidth <= 600;
	table.columns = table.all.filter((c) => !c.off && (!narrow || c === NAME || c === PROGRAM || c.on || c.by === S.by || (c === sorted && !c.by)));
	const at = table.columns.indexOf(sorted);
	table.sort = at >= 0 ? at : null;
	table.boxes.forEach((box, i) => { box.checked = table.columns.includes(table.all[i + 1]); });
}

// Which columns are there, but for the name.
function startColumns() {
	table.all = columnsOf();
	table.boxes = table.all.slice(1).map((c) => el("input", { type: "checkbox", onchange: (e) => {
		c.on = e.target.checked;
		c.off = !c.on;
		render();
	} }));
	const labels = table.all.slice(1).map((c, i) => el("label", {}, table.boxes[i], " " + c.title + (WAS && c.title === "B" ? " (" + table.all[i].title + ")" : "")));
	$("view-table").prepend(el("details", { id: "columns" }, el("summary", {}, "Columns"), el("div", {}, labels)));
	chooseColumns();
}

function tableHead() {
	$("rows").querySelector("thead").replaceChildren(el("tr", {}, table.columns.map((c, i) => el("th", {
		"aria-sort": table.sort === i ? table.down ? "descending" : "ascending" : null, scope: "col",
	}, el("button", { type: "button", title: c.tip || null,
		onclick: () => sortBy(i, table.sort === i ? !table.down : !c.text) },
	c.title + (table.sort === i ? table.down ? " ↓" : " ↑" : ""))))));
}

function tableBody() {
	const box = $("rows"), height = box.clientHeight || 600;
	const from = Math.max(0, Math.floor(box.scrollTop / ROW) - 10), to = Math.min(table.rows.length, from + Math.ceil(height / ROW) + 20);
	const space = (n) => n > 0 ? el("tr", { "aria-hidden": "true" }, el("td", { colspan: table.columns.length,
		style: { height: n * ROW + "px", padding: "0" } })) : null;
	const rows = [];
	for (let i = from; i < to; i++) {
		const f = table.rows[i];
		rows.push(el("tr", { class: "row" + (f === S.focus ? " current" : ""), "data-f": f, onclick: () => focusOn(f) },
			table.columns.map((c) => c.show(f, table.whole))));
	}
	box.querySelector("tbody").replaceChildren(...[space(from), ...rows, space(table.rows.length - to),
		table.rows.length ? null : el("tr", {}, el("td", {}, hits ? "No function of that name." : "No call was recorded."))].filter(Boolean));
}

// What the address tells of it: by which column it is sorted, if that is no measure, and how.
const tableAddress = () => ({ sort: table.columns && table.columns[table.sort] && (!table.columns[table.sort].by || !table.down) ? (table.down ? "" : "-") + table.columns[table.sort].title : "" });
function tableFrom(q) {
	if (!table.columns) startColumns();
	const title = q.get("sort") || "", sorted = table.all.find((c) => c.title === title.replace(/^-/, ""));
	chooseColumns(sorted);
	table.down = !sorted || title[0] !== "-";
}

function renderTable() {
	if (!table.columns) startColumns();
	chooseColumns(table.columns[table.sort]);
	if (table.sort === null || (table.columns[table.sort].by && table.columns[table.sort].by !== S.by)) {
		table.sort = Math.max(0, table.columns.findIndex((c) => c.by === S.by));
		table.down = true;
	}
	tableRows();
	tableHead();
	tableBody();
}

function tableKey(e) {
	const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -1e9, End: 1e9 }[e.key];
	if (!step || !table.rows.length) return false;
	const at = S.focus < 0 ? (step > 0 ? 0 : table.rows.length - 1) : table.current + step;
	table.current = Math.max(0, Math.min(table.rows.length - 1, at));
	const box = $("rows"), top = table.current * ROW;
	if (top < box.scrollTop) box.scrollTop = top;
	if (top > box.scrollTop + box.clientHeight - 2.5 * ROW) box.scrollTop = top - box.clientHeight + 2.5 * ROW;
	focusOn(table.rows[table.current]);
	return true;
}

function startTable() {
	$("rows").addEventListener("scroll", () => requestAnimationFrame(tableBody));
}
