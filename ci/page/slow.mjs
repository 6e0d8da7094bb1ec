// Tests of what the page says of single calls: the slowest of each function, and the way to them. For test.mjs.
import assert from "node:assert/strict";

export const slowTests = ({ open, text, shown, hash, has }) => ({
	async "buttons lead from the answer to the calls that show it"() {
		const p = await open("evict"), line = () => p.run(`document.querySelector("#timeline canvas").toDataURL()`);
		assert.match(await text(p, ".answer dl"), /slowest\s+\d.*\sms: sync\.Mutex\.Lock/);
		assert.match(await text(p, ".went"), /main\.serveEvict went[^]*sync\.Mutex\.Lock\s+\d/);
		await p.click(".lead.first");
		assert.deepEqual([await hash(p, "view"), await hash(p, "focus"), await hash(p, "call")], ["timeline", "main.serveEvict", "0"]);
		assert.match(await text(p, ".crumb"), /^Call 1 of 50 of main\.serveEvict, \d.*\sms: sync\.Mutex\.Lock/);
		const first = await line();
		await p.press("]");
		assert.match(await text(p, ".crumb"), /^Call 2 of 50/);
		assert.notEqual(await line(), first);
		await p.press("[");
		assert.equal(await line(), first);
		// The frame around the call is in sight.
		const frame = await p.run(`(() => {
			const c = document.querySelector("#timeline canvas"), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
			const dark = (x, y) => d[4 * (y * c.width + x) + 3] > 200 && d[4 * (y * c.width + x)] < 60 && d[4 * (y * c.width + x) + 1] < 60 && d[4 * (y * c.width + x) + 2] < 60;
			for (let y = 0; y < c.height; y++) { let run = 0; for (let x = 0; x < c.width; x++) { run = dark(x, y) ? run + 1 : 0; if (run > c.width / 3) return y; } }
			return -1;
		})()`);
		assert.ok(frame > 24, "a frame at " + frame);
		await p.click(".crumb button:last-of-type");
		assert.deepEqual([await hash(p, "view"), await hash(p, "call")], ["slow", null]);
		await p.press("1");
		await p.click(".lead:nth-of-type(2)");
		assert.deepEqual([await hash(p, "view"), await hash(p, "focus")], ["slow", "main.(*cache).evict"]);
		await p.press("1");
		await p.click(".lead:last-of-type");
		assert.equal(await hash(p, "focus"), "main.serveEvict");
		await p.done();
	},

	async "reasons of one name are one part"() {
		const p = await open("one-reason");
		assert.deepEqual(await p.run(`[...document.querySelectorAll(".card .parts")].map((b) => b.title)`), ["preempted 60.0%, running 40.0%"]);
		await p.done();
	},

	async "slow calls stand by how long they took, and lead to the timeline"() {
		const p = await open("evict", "#view=slow"), rows = () => p.run(`[...document.querySelectorAll("#view-slow tbody tr")].map((r) => [...r.cells].map((c) => c.innerText.replace(/\\s+/g, " ")))`);
		const functions = await rows();
		assert.ok(functions.some((r) => r[0] === "main.(*cache).evict" && /^sleep 9/.test(r[4])), functions.join("\n"));
		await p.click(`#view-slow td[title="main.serveEvict"] button`);
		const calls = await rows(), took = calls.map((r) => { const [, n, unit] = /([\d.]+)\s?(ns|µs|ms|s)/.exec(r[1]); return n * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit]; });
		assert.equal(calls.length, 50);
		assert.deepEqual(took, [...took].sort((a, b) => b - a));
		const wide = await p.run(`[...document.querySelectorAll("#view-slow .parts")].map((b) => [...b.children].reduce((w, i) => w + i.getBoundingClientRect().width, 0) / b.getBoundingClientRect().width)`);
		assert.ok(wide[0] > 0.98 && wide[49] < wide[0], "a bar is as long as its call took: " + wide.join(" "));
		await p.click("#view-slow tbody tr:nth-child(3)");
		assert.deepEqual([await hash(p, "view"), await hash(p, "call")], ["timeline", "2"]);
		await p.run("history.back()");
		await p.until(`location.hash.includes("view=slow")`);
		assert.equal((await rows()).length, 50);
		await p.click("#view-slow .plain");
		assert.deepEqual(await rows(), functions);
		await p.press("ArrowDown");
		await p.press("ArrowDown");
		await p.press("Enter");
		assert.notEqual(await hash(p, "focus"), null);
		await p.press("/");
		await p.type("no such function");
		await p.press("Escape");
		await p.done();
	},

	async "parked goroutines count when they are asked for, and every number is that of a page with them"() {
		const all = await open("query-all", "#view=table"), p = await open("query", "#view=table"), rows = (q) => q.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.cells[0].title + " " + [1, 2, 3].map((i) => r.cells[i].innerText.replace(/\\s+/g, " ")).join(" ")).sort()`);
		const without = await rows(p), facts = async (q) => (await text(q, ".foot")).replace(/What was.*/, "");
		assert.match(await text(p, "#scope"), /^[\d\u202f]+ worked\s+\d+ parked, left out$/);
		assert.equal(await p.run(`document.querySelector("#scope button").getAttribute("aria-pressed")`), "false");
		await p.click("#scope button");
		assert.match(await text(p, "#scope"), /parked, counted$/);
		assert.equal(await hash(p, "parked"), "1");
		assert.deepEqual(await rows(p), await rows(all));
		await p.press("1");
		await all.press("1");
		assert.equal(await facts(p), await facts(all));
		assert.equal(await shown(all, "scope"), false);
		for (const view of ["flame", "timeline", "slow", "sankey"]) await p.click("#tab-" + view);
		assert.match(await text(p, "#sankey-legend"), /Parked goroutines are left out of this picture/);
		await p.click("#scope button");
		await p.click("#tab-table");
		assert.equal(await hash(p, "parked"), null);
		assert.deepEqual(await rows(p), without);
		assert.notDeepEqual(without, await (async () => { await all.click("#tab-table"); return rows(all); })());
		await all.done();
		await p.done();
	},

	async "one bar says what time was spent on, in the overview, the table and the details"() {
		const p = await open("evict");
		assert.match(await p.run(`document.querySelector(".path.own > div").innerText`), /main\.\(\*cache\)\.find\s+Mutex\.Lock \d/);
		const wide = await p.run(`[...document.querySelectorAll(".went .parts i")].reduce((w, i) => w + i.getBoundingClientRect().width, 0) / document.querySelector(".went .parts").getBoundingClientRect().width`);
		assert.ok(wide > 0.98 && wide < 1.02, "all of the time: " + wide);
		await p.click("#tab-table");
		const spent = await p.run(`[...document.querySelectorAll("#rows tr.row")].find((r) => r.cells[0].title === "main.(*cache).find").cells[3].innerText`);
		assert.match(spent, /^sync\.Mutex\.Lock \d/);
		await p.click("#rows th:nth-child(4) button");
		await p.click(`#rows td[title="main.(*cache).find"]`);
		assert.match(await text(p, "#detail .parts-legend"), /sync\.Mutex\.Lock[^]*sleep/);
		await p.click("#detail .plain");
		assert.deepEqual([await hash(p, "view"), await hash(p, "focus")], ["slow", "main.(*cache).find"]);
		await p.done();
	},

	async "a wait leads to who ended it"() {
		const p = await open("evict", "#view=timeline&focus=main.serveEvict&call=0"), line = () => p.run(`document.querySelector("#timeline canvas").toDataURL()`);
		assert.match(await text(p, ".crumb"), /Its longest wait, \d.* \(sync\.Mutex\.Lock\), was ended by main\.\(\*cache\)\.find/);
		const before = await line();
		await p.click("#waker");
		assert.notEqual(await line(), before);
		assert.match(await text(p, "#said"), /^goroutine \d+/);
		// The strips of states are walked over: some waits there name who ended them.
		const said = new Set(), [x, y, w, h] = await p.run(`(() => { const r = document.querySelector("#timeline").getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()`);
		for (let dy = 26; dy < Math.min(h, 240); dy += 3) {
			await p.move(x + w * 0.6, y + dy);
			if (await shown(p, "tip")) said.add((await text(p, "#tip")).replace(/\s+/g, " "));
		}
		assert.ok([...said].some((t) => /waiting: .* woken by goroutine \d+ in main\./.test(t)), [...said].join("\n"));
		await p.done();
	},

	async "a page without single calls has no slow ones"() {
		const p = await open("samples");
		assert.deepEqual([await has(p, "#tab-slow"), await shown(p, "view-slow")], [false, false]);
		await p.done();
	},
});
