// The page in a real browser: every control used, by mouse and by key; no console message, no request,
// nothing that a name says is run.
//   node ci/page/test.mjs FOLDER      pages as html_test leaves them there
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";
import { Browser } from "./browser.mjs";
import { addressTests } from "./address.mjs";
import { controlTests } from "./controls.mjs";
import { menuTests } from "./menu.mjs";
import { slowTests } from "./slow.mjs";
import { keyOf, timelineTests } from "./timeline.mjs";

const folder = resolve(process.argv[2]);
const address = (name) => pathToFileURL(join(folder, name + ".html")).href;
const browser = await Browser.start();

// An empty page, whose scripts could call hit().
async function empty(options = {}) {
	const p = await browser.page(options);
	await p.expose("hit", (what) => { p.problems.push("ran: " + what); });
	return p;
}
// It said nothing and asked for nothing.
async function quiet(p, name, hash = "") {
	assert.deepEqual(p.problems, [], name + ": console");
	assert.deepEqual(p.requests.filter((url) => url !== address(name) + hash && url.split("#")[0] !== address(name)), [], name + ": requests");
	assert.equal(await p.run("document.documentElement.dataset.ready"), "1");
}
// A page, opened; `done` checks that it was quiet.
async function open(name, hash = "", options = {}) {
	const p = await empty(options);
	await p.open(address(name) + hash);
	p.done = async () => {
		await quiet(p, name, hash);
		await p.close();
	};
	return p;
}
const text = (p, selector) => p.run(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? null`);
const has = (p, selector) => p.run(`Boolean(document.querySelector(${JSON.stringify(selector)}))`);
const shown = (p, id) => p.run(`!document.getElementById(${JSON.stringify(id)}).hidden`);
const hash = (p, key) => p.run(`new URLSearchParams(location.hash.slice(1)).get(${JSON.stringify(key)})`);
const picture = (p) => p.run(`document.querySelector("#flame canvas").toDataURL()`);

const ofSamples = ["samples", "programs"]; // pages of samples, which have no growth

const tests = {
	...timelineTests({ open, text, shown, hash }),
	...addressTests({ open, text, shown, hash, file: (name) => join(folder, name + ".html") }),
	...menuTests({ open, text, shown, hash, has }),
	...slowTests({ open, text, shown, hash, has }),
	...controlTests({ open, has, picture, text, hash }),

	// One after the other in one window, with clicks in the page itself and a drawn frame after each: other tests use the mouse. A window
	// of its own for each, and the mouse, take most of the time of so many.
	async "every page opens, in every view, light and dark"() {
		const p = await empty();
		for (const file of readdirSync(folder).filter((f) => f.endsWith(".html")).sort()) {
			const name = file.slice(0, -5);
			p.requests.length = 0;
			await p.dark(file.length % 2 === 0);
			await p.open(address(name));
			const seen = await p.run(`(async () => {
				const seen = [], click = async (e) => { e.click(); await new Promise((done) => requestAnimationFrame(() => setTimeout(done))); };
				for (const view of ["overview", "table", "flame", "timeline", "slow", "sankey"]) {
					const tab = document.getElementById("tab-" + view);
					if (!tab) continue;
					await click(tab);
					seen.push([view, !document.getElementById("view-" + view).hidden]);
					if (["overview", "timeline", "slow"].includes(view)) continue;
					for (const by of ["total", "self", "calls", "grow"].filter((by) => by !== "grow" || ${!ofSamples.includes(name)})) {
						const choice = document.getElementById("by-" + by);
						await click(choice);
						seen.push([view + " by " + by, document.getElementById("by-" + by).getAttribute("aria-checked") === "true"]);
					}
				}
				return seen;
			})()`);
			assert.deepEqual(seen.filter(([, right]) => !right), [], name);
			assert.ok(seen.length >= (ofSamples.includes(name) ? 9 : 12), name + ": " + seen.length);
			await quiet(p, name);
		}
		await p.close();
	},

	async "functions of one name are of different programs"() {
		const p = await open("programs");
		await p.click("#tab-table");
		const heads = await p.run(`[...document.querySelectorAll("#view-table th")].map((c) => c.textContent.trim())`);
		assert.equal(heads[1], "program");
		const rows = await p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => [...r.cells].slice(0, 2).map((c) => c.textContent))`);
		assert.deepEqual(rows.filter((r) => r[0] === "main.work").map((r) => r[1]).sort(), ["kid", "prog"]);
		await p.done();
		for (const of of ["kid", "prog"]) {
			const q = await open("programs", "#view=table&focus=" + encodeURIComponent(`main.work [${of}]`));
			assert.deepEqual(await q.run(`[...document.querySelector("#rows tr.current").cells].slice(0, 2).map((c) => c.textContent)`), ["main.work", of]);
			await q.done();
		}
	},

	async "samples are not called calls"() {
		const p = await open("samples");
		assert.equal(await has(p, "#by-grow"), false);
		assert.match(await text(p, "#facts"), / 79 samples /);
		await p.click("#tab-table");
		const heads = await p.run(`[...document.querySelectorAll("#view-table th")].map((c) => c.textContent.trim())`);
		assert.deepEqual(heads.map((h) => h.replace(/[^a-z ]/g, "").trim()), ["function", "total", "self", "self samples"]);
		await p.clickAt(...await p.placeOf("#rows tr.row:nth-of-type(1)"));
		for (const view of ["overview", "table", "flame", "sankey"]) {
			await p.click("#tab-" + view);
			if (view !== "overview") await p.click("#by-calls");
			const said = await p.run(`document.body.innerText`);
			assert.doesNotMatch(said, /\b[0-9.,]+ calls?\b|finished calls|\bmean\b|events?\b/i, view);
		}
		await p.done();
	},

	async "names are never markup"() {
		const p = await open("hostile");
		for (const view of ["overview", "table", "flame", "sankey"]) {
			await p.click("#tab-" + view);
			assert.equal(await p.run(`document.querySelectorAll("main b[onmouseover], main img, main script").length`), 0);
		}
		await p.click("#tab-table");
		const names = await p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.cells[0].title)`);
		assert.ok(names.includes("main.</script><script>hit('script')</script>"), names.join("\n"));
		assert.ok(names.includes("__proto__") && names.includes(`main.a;b c"d&lt;`));
		assert.equal(names.length, 6);
		for (let i = 0; i < names.length; i++) {
			await p.clickAt(...await p.placeOf(`#rows tr.row:nth-of-type(${i + 1})`));
			assert.equal(await text(p, "#detail h2") !== null, true);
		}
		await p.press("Escape");
		await p.hover("#rows tr.row");
		await p.run(`document.querySelector("nav").insertAdjacentHTML("beforeend", "<p id=x>x</p>")`);
		// What is not the page's own script or style does not run, whoever puts it there.
		await p.run(`{ const s = document.createElement("script"); s.textContent = "window.injected = 1"; document.body.append(s); }`);
		assert.equal(await p.run("window.injected === undefined"), true);
		p.problems = p.problems.filter((x) => !/Content Security Policy|content security policy/i.test(x));
		await p.done();
	},

	async "nothing may be fetched"() {
		const p = await open("calls");
		assert.equal(await p.run(`fetch("data:text/plain,x").then(() => "fetched", () => "refused")`), "refused");
		p.problems = p.problems.filter((x) => !/Content Security Policy|content security policy/i.test(x));
		p.requests = p.requests.filter((x) => !x.startsWith("data:text/plain"));
		await p.done();
	},

	async "the overview names the heaviest path and leads on"() {
		const p = await open("storm.go1.27.emulated");
		assert.ok((await text(p, "#view-overview")).includes("Heaviest path"));
		const first = await p.run(`document.querySelector(".card .path > div:not(.head)").title`);
		await p.click(".card .path > div:not(.head)");
		assert.equal(await text(p, "#detail h2"), first);
		await p.press("Escape");
		assert.equal(await shown(p, "detail"), false);
		await p.done();
	},

	async "the table sorts and is searched"() {
		const p = await open("panics.emulated", "#view=table");
		const column = (n) => p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.cells[${n}].innerText)`);
		const names = await column(0);
		assert.ok(names.length > 3);
		await p.click("#rows th:nth-child(4) button");
		const calls = (await column(3)).map((t) => Number(t.replace(/\D/g, "")));
		assert.deepEqual(calls, [...calls].sort((a, b) => b - a));
		assert.equal(await hash(p, "by"), "calls");
		await p.click("#rows th:nth-child(4) button");
		const up = (await column(3)).map((t) => Number(t.replace(/\D/g, "")));
		assert.deepEqual(up, [...up].sort((a, b) => a - b));
		await p.click("#rows th:nth-child(1) button");
		const sorted = await p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.querySelector(".fn").innerText)`);
		assert.deepEqual(sorted, [...sorted].sort());
		await p.press("/");
		await p.type("main");
		assert.match(await text(p, "#found"), /function/);
		await p.run(`document.getElementById("search").select()`);
		await p.type("no such function");
		assert.equal((await column(0)).length, 0);
		await p.press("Escape");
		assert.equal((await column(0)).length, names.length);
		await p.done();
	},

	async "the table is walked with keys"() {
		const p = await open("panics.emulated", "#view=table");
		await p.click("#rows thead th:nth-child(3)");
		await p.press("2");
		for (const key of ["ArrowDown", "ArrowDown", "End", "Home", "PageDown", "ArrowUp"]) await p.press(key);
		assert.ok(await hash(p, "focus"));
		assert.equal(await shown(p, "detail"), true);
		await p.click("#detail .close");
		assert.equal(await shown(p, "detail"), false);
		await p.done();
	},

	async "callers and callees lead to each other"() {
		const p = await open("go", "#view=table&focus=main.x");
		assert.equal(await text(p, "#detail h2"), "main.x");
		await p.click("#detail li button:not([disabled])");
		assert.equal(await text(p, "#detail h2"), "main.w");
		assert.ok(await has(p, "#detail li .go"), "main.w was started by a go statement");
		await p.done();
	},

	async "the flame graph zooms, pans and is walked with keys"() {
		const p = await open("storm.go1.27.emulated", "#view=flame");
		const [x, y] = await p.placeOf("#flame"), box = await p.run(`(() => { const r = document.querySelector("#flame").getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()`);
		const at = [box[0] + box[2] * 0.2, box[1] + 30];
		await p.move(...at);
		await p.settle();
		assert.equal(await shown(p, "tip"), true);
		const whole = await picture(p);
		await p.wheel(...at, -300);
		const zoomed = await picture(p);
		assert.notEqual(zoomed, whole);
		await p.drag(x, y, x - 200, y - 20);
		assert.notEqual(await picture(p), zoomed);
		await p.press("3");
		await p.press("0");
		await p.move(5, 5);
		await p.settle();
		await p.clickAt(...at);
		assert.equal(await shown(p, "detail"), true);
		assert.ok(await hash(p, "focus"));
		await p.press("Escape");
		await p.press("Escape");
		for (const key of ["ArrowDown", "ArrowDown", "ArrowRight", "ArrowLeft", "ArrowUp", "Enter", "+", "-", "0"]) await p.press(key);
		assert.ok(await hash(p, "focus"));
		await p.wheel(...at, 120, 0, "Shift");
		await p.wheel(...at, 0, 200);
		await p.done();
	},

	async "the flame graph tells running from waiting"() {
		let p = await open("states", "#view=flame");
		assert.match(await text(p, "#flame-legend"), /Strip on top:\s*running\s*runnable\s*waiting\s*in system calls/);
		const box = await p.run(`(() => { const r = document.querySelector("#flame").getBoundingClientRect(); return [r.x, r.y, r.width]; })()`);
		await p.move(box[0] + 20, box[1] + 10);
		await p.settle();
		const parts = await p.run(`[...document.querySelectorAll("#tip dt")].map((e) => e.textContent)`);
		for (const what of ["running", "runnable", "waiting", "in system calls"]) assert.ok(parts.includes(what), parts.join("|"));
		await p.clickAt(box[0] + 20, box[1] + 10);
		assert.match(await text(p, "#detail dl:not(.parts-legend)"), /Self, running\s+990/);
		await p.press("Escape");
		await p.press("Escape");
		const strips = async (selector) => {
			await p.click(selector);
			await p.settle();
			return /Strip on top/.test(await text(p, "#flame-legend"));
		};
		assert.equal(await strips("#by-calls"), false);
		assert.equal(await strips("#by-total"), true);
		// The strip is as wide as the frame, and has the colours of the states.
		const colours = await p.run(`(() => {
			const c = document.querySelector("#flame canvas"), seen = new Set();
			const row = c.getContext("2d").getImageData(0, 1, c.width - 3, 1).data;
			for (let i = 0; i < row.length; i += 4) seen.add("#" + [0, 1, 2].map((k) => row[i + k].toString(16).padStart(2, "0")).join(""));
			return [...seen];
		})()`);
		for (const state of ["run", "ready", "wait", "syscall"])
			assert.ok(colours.includes(await p.run(`getComputedStyle(document.documentElement).getPropertyValue("--state-${state}").trim()`)), state + " of " + colours.join(" "));
		await p.done();
		p = await open("go", "#view=flame");
		assert.doesNotMatch(await text(p, "#flame-legend"), /Strip/);
		await p.done();
	},

	async "the Sankey picture focuses, pans and zooms"() {
		const p = await open("panics.emulated", "#view=sankey");
		const place = () => p.run(`document.querySelector("#sankey svg > g").getAttribute("transform")`);
		const start = await place();
		await p.click("#sankey .bar rect");
		assert.equal(await shown(p, "detail"), true);
		assert.ok(await has(p, "#sankey .bar.focus"));
		await p.press("Escape");
		assert.equal(await has(p, "#sankey .bar.focus"), false);
		await p.press(await keyOf(p, "sankey"));
		for (const key of ["ArrowLeft", "ArrowDown", "+", "-", "+"]) await p.press(key);
		assert.notEqual(await place(), start);
		await p.press("0");
		assert.equal(await place(), start);
		const [x, y] = await p.placeOf("#sankey");
		await p.wheel(x, y, -200);
		const zoomed = await place();
		assert.notEqual(zoomed, start);
		await p.drag(x, y + 150, x + 120, y + 190);
		assert.notEqual(await place(), zoomed);
		await p.click("#sankey-fit");
		assert.equal(await place(), start);
		await p.press(await keyOf(p, "sankey"));
		await p.press("Tab");
		await p.press("Tab");
		assert.equal(await shown(p, "tip"), true);
		await p.press("Enter");
		assert.ok(await has(p, "#sankey .bar.focus"));
		await p.done();
	},

	async "Fit shows all of a large Sankey picture"() {
		for (const size of [{}, { width: 700, height: 600 }]) {
			const p = await open("large", "#view=sankey", size);
			const outside = () => p.run(`(() => {
				const box = document.querySelector("#sankey").getBoundingClientRect();
				return [...document.querySelectorAll("#sankey svg > g path, #sankey .bar rect, #sankey .bar text")].filter((e) => {
					const r = e.getBoundingClientRect();
					return r.width + r.height && (r.left < box.left || r.right > box.right || r.top < box.top || r.bottom > box.bottom);
				}).length;
			})()`);
			assert.ok(await p.run(`document.querySelectorAll("#sankey .bar").length`) > 20);
			await p.press("0");
			assert.equal(await outside(), 0);
			for (let i = 0; i < 6; i++) await p.press("+");
			assert.notEqual(await outside(), 0);
			await p.click("#sankey-fit");
			assert.equal(await outside(), 0);
			await p.press("-");
			assert.equal(await outside(), 0);
			await p.press("0");
			assert.equal(await outside(), 0);
			await p.done();
		}
	},

	async "recursion has a badge, cycles and go statements are dashed"() {
		let p = await open("recursion", "#view=sankey");
		assert.match(await text(p, "#sankey") ?? await p.run(`document.querySelector("#sankey").textContent`), /↻/);
		await p.done();
		p = await open("go", "#view=sankey&pick=all");
		assert.equal(await p.run(`document.querySelectorAll("#sankey path.line").length`), 1);
		await p.done();
		p = await open("cycle", "#view=sankey&by=calls");
		assert.equal(await p.run(`document.querySelectorAll("#sankey path.back").length`), 1);
		await p.done();
	},

	async "goroutines are picked"() {
		const p = await open("storm.go1.27.emulated", "#view=flame"), all = await picture(p);
		const options = await p.run(`[...document.querySelectorAll("#pick option")].map((o) => o.value)`);
		assert.ok(options.includes("all") && options.some((o) => /^p/.test(o)) && options.includes("g0"));
		for (const pick of options.filter((o, i) => i < 6 || o === "g0")) {
			await p.run(`{ const e = document.getElementById("pick"); e.value = ${JSON.stringify(pick)}; e.dispatchEvent(new Event("change")); }`);
			for (const view of ["table", "sankey", "flame"]) await p.click("#tab-" + view);
			await p.settle();
		}
		assert.notEqual(await picture(p), all);
		await p.click("#tab-overview");
		assert.equal(await p.run(`document.getElementById("pick").value`), "all");
		await p.done();
	},

	async "goroutines of two images have names of their own"() {
		const p = await open("image", "#view=flame");
		const names = await p.run(`[...document.querySelectorAll("#pick option")].map((o) => o.innerText.replace(/  .*/, ""))`);
		const single = names.filter((n) => /^goroutine/.test(n)).sort();
		assert.deepEqual(single, ["goroutine 1 of image 2: runtime.main", "goroutine 1: runtime.main", "goroutine 2", "goroutine 2 of image 2"]);
		await p.done();
	},

	// There is one goroutine: what it does is what all do.
	async "stack growth is shown by goroutine too"() {
		const growths = async (pick) => {
			const p = await open("stop-kinds", "#view=table&by=grow&pick=" + pick);
			const growth = await p.run(`[...document.querySelectorAll("#rows thead th")].findIndex((h) => /growth/.test(h.textContent))`);
			const seen = { column: await p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.cells[${growth}].textContent)`) };
			await p.click("#tab-flame");
			await p.settle();
			seen.flame = await picture(p);
			await p.click("#tab-sankey");
			seen.sankey = await p.run(`document.querySelector("#sankey").innerHTML`);
			assert.equal(await p.run(`document.getElementById("by-grow").getAttribute("aria-checked")`), "true");
			await p.done();
			return seen;
		};
		const all = await growths("all"), single = await growths("g0");
		assert.ok(all.column.some((t) => /50.?ns/.test(t)), all.column.join("|"));
		assert.deepEqual(single, all);
	},

	async "names are short or full, the theme changes, help opens"() {
		const p = await open("names", "#view=table");
		await p.click("#full");
		assert.equal(await p.run(`document.querySelectorAll("#rows .pkg").length > 0`), true);
		await p.press("n");
		assert.equal(await p.run(`document.querySelectorAll("#rows .pkg").length`), 0);
		assert.equal(await p.run("document.documentElement.dataset.theme"), "light");
		await p.click("#theme");
		assert.equal(await p.run("document.documentElement.dataset.theme"), "dark");
		await p.press("d");
		assert.equal(await p.run("document.documentElement.dataset.theme"), "light");
		await p.press("?");
		assert.equal(await p.run(`document.getElementById("help").open`), true);
		await p.press("Escape");
		assert.equal(await p.run(`document.getElementById("help").open`), false);
		await p.click("#keys");
		await p.click("#help button");
		assert.equal(await p.run(`document.getElementById("help").open`), false);
		await p.done();
	},

	async "keys choose views and what counts"() {
		const p = await open("panics.emulated");
		for (const [key, view] of [["2", "table"], ["3", "flame"], [await keyOf(p, "sankey"), "sankey"]]) {
			await p.press(key);
			assert.equal(await hash(p, "view"), view);
			for (const [k, by] of [["s", "self"], ["c", "calls"], ["m", "grow"], ["t", null]]) {
				await p.press(k);
				assert.equal(await hash(p, "by"), by);
			}
		}
		await p.press("1");
		assert.equal(await hash(p, "view"), null);
		await p.run(`document.getElementById("tab-overview").focus()`);
		await p.press("ArrowRight");
		assert.equal(await hash(p, "view"), "table");
		await p.run(`document.getElementById("by-total").focus()`);
		await p.press("ArrowRight");
		assert.equal(await hash(p, "by"), "self");
		await p.press("g");
		await p.done();
	},

	async "losses are reported, an empty trace shows nothing"() {
		let p = await open("lost");
		assert.match(await text(p, "#warning"), /3 events lost in 1 gap.*suspect.*incomplete/s);
		await p.click("#tab-table");
		assert.match(await text(p, "#rows"), /suspect/);
		await p.done();
		p = await open("empty");
		assert.match(await text(p, "#view-overview"), /No call was recorded/);
		for (const view of ["table", "flame", "sankey"]) await p.click("#tab-" + view);
		assert.equal(await shown(p, "warning"), false);
		await p.done();
	},

	async "a small window works"() {
		const p = await open("panics.emulated", "#view=flame&focus=main.main", { width: 390, height: 700, touch: true });
		assert.equal(await shown(p, "detail"), true);
		await p.click("#detail .close");
		await p.click("#tab-sankey");
		await p.done();
	},
};

if (existsSync(join(folder, "changes.html")))
	tests["a comparison says what is slower, new and gone"] = async () => {
		const p = await open("changes");
		const words = await text(p, "#view-overview");
		for (const word of ["Slower in B", "Faster in B", "New in B", "Gone in B", "What is compared"]) assert.ok(words.includes(word), word);
		for (const view of ["table", "flame", "sankey"])
			for (const by of ["total", "self", "calls", "grow"]) {
				await p.click("#tab-" + view);
				await p.click("#by-" + by);
			}
		await p.click("#tab-table");
		assert.ok(await has(p, "#rows td.slower") && await has(p, "#rows td.faster"));
		await p.click("#rows tr.row");
		assert.match(await text(p, "#detail"), /before/);
		await p.done();
	};

if (existsSync(join(folder, "changes-states.html")))
	tests["a comparison is by call: who is called more often is not slower"] = async () => {
		const p = await open("changes-states");
		const card = (title) => p.run(`[...document.querySelectorAll("#view-overview .card")].find((c) => c.querySelector("h2").textContent === ${JSON.stringify(title)}).innerText`);
		const slower = await card("Slower in B");
		assert.match(slower, /main\.slow\s+\+3\.00\s*ms\s+\+50\.0%/);
		assert.ok(!/main\.(twice|off|main)/.test(slower), slower);
		assert.match(await card("Faster in B"), /Nothing/);
		assert.match(await text(p, "#view-overview .answer"), /^A 36\.1\s*ms → B 81\.0\s*ms, \+125%/);
		await p.click("#tab-table");
		const rows = await p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.innerText.replace(/\\s+/g, " "))`);
		assert.ok(rows.some((r) => /main\.twice ?by call 300µs 300µs/.test(r)), rows.join("\n"));
		await p.done();
	};

tests["on a phone the table has the measure beside the name, and no part of a column"] = async () => {
	const p = await open("query", "", { width: 480, height: 800 });
	const heads = () => p.run(`[...document.querySelectorAll("#rows th")].map((h) => h.innerText.trim())`);
	await p.click("#tab-table");
	assert.deepEqual(await heads(), ["function", "total ↓"]);
	assert.ok(await p.run(`document.querySelector("#rows").scrollWidth <= innerWidth`));
	await p.press("c");
	assert.deepEqual(await heads(), ["function", "calls ↓"]);
	await p.click("#columns summary");
	await p.click("#columns label:nth-child(2) input");
	assert.deepEqual(await heads(), ["function", "self", "calls ↓"]);
	await p.click("#columns label:nth-child(2) input");
	assert.deepEqual(await heads(), ["function", "calls ↓"]);
	await p.done();
};

tests["in a window of 1024 pixels the table begins with what was called, and how often"] = async () => {
	const p = await open("query", "", { width: 1024, height: 768 });
	await p.click("#tab-table");
	assert.ok(await p.run(`[...document.querySelectorAll("#rows tr.row")].every((r) => r.getBoundingClientRect().height < 30)`), "a row has one line");
	assert.ok(await p.run(`(() => { const t = document.querySelector("#rows thead tr"), i = [...t.cells].findIndex((c) => c.innerText.trim() === "calls"); return i > 0 && t.cells[i].getBoundingClientRect().right <= innerWidth; })()`));
	await p.done();
};

// Each test has windows of its own and mostly waits for drawn frames, so some run at once.
const atOnce = 4;
let passed = 0, failed = 0;
const only = process.argv[3];
const left = Object.entries(tests).filter(([name]) => !only || name.includes(only));
async function work() {
	for (let next; (next = left.shift());) {
		const [name, run] = next;
		try {
			await run();
			passed++;
			console.log("  ok       " + name);
		} catch (e) {
			failed++;
			console.log("  FAIL     " + name + "\n" + e.stack);
		}
	}
}
await Promise.all(Array.from({ length: atOnce }, work));
await browser.stop();
console.log(`${passed} passed, ${failed} failed, 0 skipped`);
process.exitCode = failed || !passed ? 1 : 0;
