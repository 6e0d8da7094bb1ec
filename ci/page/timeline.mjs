// Tests of the timeline, for test.mjs.
import assert from "node:assert/strict";

// The key of a view: its number among those that the page has.
export const keyOf = (p, view) => p.run(`String([...document.querySelectorAll("#tabs button")].findIndex((b) => b.id === "tab-${view}") + 1)`);
const line = (p) => p.run(`document.querySelector("#timeline canvas").toDataURL()`);

export const timelineTests = ({ open, text, shown, hash }) => ({
	async "the timeline zooms, pans, opens and is walked with keys"() {
		const p = await open("coroutines.go1.27.emulated", "#view=timeline"), said = () => text(p, "#said");
		const first = await line(p);
		await p.press(await keyOf(p, "timeline"));
		await p.press("+");
		const zoomed = await line(p);
		assert.notEqual(zoomed, first);
		await p.press("ArrowRight");
		assert.notEqual(await line(p), zoomed);
		await p.press("0");
		assert.equal(await line(p), first);
		await p.press("ArrowDown");
		assert.match(await said(), /goroutine/);
		const before = await line(p);
		await p.press("Enter");
		assert.match(await said(), /^(open|closed): /);
		assert.notEqual(await line(p), before);
		await p.press(" ");
		assert.equal(await line(p), before);
		const [x, y] = await p.placeOf("#timeline");
		await p.wheel(x, y, -300);
		assert.notEqual(await line(p), before);
		await p.press("0");
		await p.press("]");
		assert.match(await said(), / call 1 of \d+$/);
		assert.equal(await shown(p, "tip"), true);
		const took = (t) => { const [, n, unit] = /([\d.]+)\s(ns|µs|ms|s), call/.exec(t); return n * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit]; };
		const slowest = took(await said());
		await p.press("]");
		assert.match(await said(), / call 2 of /);
		assert.ok(took(await said()) <= slowest);
		await p.press("[");
		assert.match(await said(), / call 1 of /);
		await p.press("0");
		const at = await p.run(`(() => { const r = document.querySelector("#timeline").getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()`);
		for (let dy = 30; dy < 300; dy += 9) await p.move(at[0] + at[2] * 0.6, at[1] + dy);
		await p.drag(at[0] + at[2] * 0.5, at[1] + 200, at[0] + at[2] * 0.6, at[1] + 190);
		await p.done();
	},

	async "rows say what all goroutines did at each moment"() {
		const p = await open("garbage", "#view=timeline"), names = [], [x, y, w] = await p.run(`(() => { const r = document.querySelector("#timeline").getBoundingClientRect(); return [r.x, r.y, r.width]; })()`);
		await p.run(`document.querySelector("#timeline").focus()`);
		for (let i = 0; i < 8; i++) {
			await p.press("ArrowDown");
			names.push(await text(p, "#said"));
		}
		assert.match(names[0], /^running, of \d+ processors?: goroutines that ran/);
		for (const row of [/^ready to run, at most [\d.]+: /, /^GC, at most [\d.]+: the garbage collector’s workers/]) assert.ok(names.some((n) => row.test(n)), names.join("\n"));
		// Over all moments a program that makes garbage runs, and its collector marks.
		const sums = {};
		for (let at = 0.25; at < 1; at += 0.01) for (const dy of [35, 35 + 27 * names.findIndex((n) => /^GC/.test(n))]) {
			await p.page.mouse.move(x + w * at, y + dy);
			for (const [what, n] of await p.run(`[...document.querySelectorAll("#tip dl dt")].map((t) => [t.textContent, Number(t.nextSibling.textContent)])`)) sums[what] = (sums[what] || 0) + (n || 0);
		}
		assert.ok(sums.running > 1 && sums.marking > 0.1, JSON.stringify(sums));
		await p.done();
		const q = await open("go", "#view=timeline");
		await q.run(`document.querySelector("#timeline").focus()`);
		await q.press("ArrowDown");
		assert.doesNotMatch(await text(q, "#said"), /^running/, "a trace without states has no such rows");
		await q.done();
	},

	async "of many goroutines the busiest have rows, and the others on demand"() {
		const p = await open("coroutines.go1.27.emulated", "#view=timeline"), said = async () => { await p.press("ArrowDown"); return text(p, "#said"); };
		await p.run(`document.querySelector("#timeline").focus()`);
		let row = await said();
		for (let i = 0; i < 60 && !/more goroutines$/.test(row); i++) row = await said();
		const n = Number(/^([\d\u202f]+) more/.exec(row)[1].replace(/\u202f/g, ""));
		assert.ok(n > 2, row);
		const before = await line(p);
		await p.press("Enter");
		assert.match(await text(p, "#said"), /^all goroutines of /);
		assert.notEqual(await line(p), before);
		await p.until(`/all=\\d/.test(location.hash)`);
		await p.done();
	},

	async "moments close to each other have names of their own"() {
		const p = await open("evict", "#view=timeline");
		await p.run(`{ const fill = CanvasRenderingContext2D.prototype.fillText; window.written = []; CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { if (y < 24 && text !== "time") window.written.push(text); fill.call(this, text, x, y); }; }`);
		for (let i = 0; i < 24; i++) {
			await p.run("window.written = []");
			await p.press("+");
			const names = await p.run("window.written");
			assert.ok(names.length > 1 && new Set(names).size === names.length, names.join(" "));
		}
		assert.ok((await p.run("window.written")).some((name) => name.startsWith("+")));
		await p.done();
	},

	// What happened from the first moment to the last is all.
	async "a stretch of the timeline is what the other views show"() {
		for (const name of ["go", "panics.emulated", "recursion", "states"]) {
			const p = await open(name, "#view=table&by=self"), rows = () => p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => [r.cells[0].title, r.cells[2].querySelector(".v").textContent + r.cells[2].querySelector(".unit").textContent].join()).sort().join("\\n")`);
			const all = await rows(), last = Math.round(1e9 * 3600);
			await p.run(`location.hash = "#view=table&by=self&pick=t0-${last}"`);
			await p.settle();
			if (name === "go" || name === "recursion") assert.equal(await rows(), all, name); // no cost to be taken out, no prologue held up
			await p.press("Escape");
			assert.equal(await hash(p, "pick"), null);
			assert.equal(await rows(), all);
			await p.click("#tab-timeline");
			const [x, y, w] = await p.run(`(() => { const r = document.querySelector("#timeline").getBoundingClientRect(); return [r.x, r.y, r.width]; })()`);
			await p.drag(x + w * 0.4, y + 10, x + w * 0.7, y + 12);
			const [, from, to] = /^t(\d+)-(\d+)$/.exec(await hash(p, "pick"));
			assert.ok(Number(from) < Number(to));
			await p.click("#tab-table");
			assert.match(await text(p, "#estimated"), /^Only .* to .*, times as measured/);
			assert.notEqual(await rows(), all);
			await p.click("#tab-flame");
			await p.click("#tab-sankey");
			assert.match(await text(p, "#sankey-legend"), /A stretch of time has no picture of its own/);
			await p.click("#tab-timeline");
			await p.clickAt(x + w * 0.5, 10 + await p.run(`document.querySelector("#timeline").getBoundingClientRect().y`));
			assert.equal(await hash(p, "pick"), null);
			await p.done();
		}
	},
});
