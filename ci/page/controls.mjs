// Tests of controls of the pictures, and of what shuts people out, for test.mjs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";

// run.sh says so when axe is not to be had.
const axeTests = ({ open, has }) => ({
	async "nobody is shut out: axe finds nothing"() {
		const axe = readFileSync(join(process.env.AXE, "axe.min.js"), "utf8");
		// All rules of the whole page. Contrast is the slow one: of what opened in a view, and nothing else, where that view has been looked at.
		const look = async (p, what, opened) => {
			if (opened) assert.ok(await p.run(`(() => { const e = document.querySelector("${opened}"); return e.getClientRects().length > 0 && e.innerText.length > 0; })()`), what + " is not open");
			const contrast = `{ runOnly: ["color-contrast"], resultTypes: ["violations"] }`, others = `{ rules: { "color-contrast": { enabled: false } }, resultTypes: ["violations"] }`;
			const found = await p.run(`axe.run(document, ${others}).then((r) => axe.run("${opened ?? "html"}", ${contrast}).then((c) => ({ violations: [...r.violations, ...c.violations] }))).then((r) => r.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + " " + n.failureSummary.split("\\n").slice(1, 3).join(" ")).join(" | ")))`);
			assert.deepEqual(found, [], what);
		};
		for (const [name, dark] of [["panics.emulated", false], ["states", true], ["samples", false], ["evict", false], ["evict", true], ["query", true]]) {
			const p = await open(name, "", { dark }), said = name + (dark ? ", dark, " : ", light, ");
			await p.run(axe);
			for (const view of ["overview", "table", "flame", "timeline", "slow", "sankey"]) {
				if (!await has(p, "#tab-" + view)) continue;
				await p.click("#tab-" + view);
				await look(p, said + view);
			}
			// What opens.
			await p.press("1");
			await p.click(".foot button");
			await look(p, said + "what was traced", "#traced");
			await p.press("2");
			await p.run(`document.querySelector("#rows").focus()`);
			await p.press("ArrowDown");
			await look(p, said + "details", "#detail");
			await p.click("#share");
			await look(p, said + "share", "#menu");
			await p.press("Escape");
			await p.press("?");
			await look(p, said + "keys", "#help");
			await p.close();
		}
	},
});

export const controlTests = ({ open, has, picture, text, hash }) => ({
	async "the answer stands first, and its functions lead to them"() {
		const p = await open("evict");
		assert.match(await text(p, ".answer p"), /^main\.serveEvict waits \d+% of its time for a lock/);
		assert.match(await text(p, ".answer dl"), /held by\s+main\.\(\*cache\)\.find, \d+ times.* in main\.\(\*cache\)\.evict/);
		await p.click(".answer dl dd:nth-of-type(4) button");
		assert.equal(await hash(p, "focus"), "main.(*cache).evict");
		await p.done();
	},

	async "what was traced stands at the foot, and opens"() {
		const p = await open("evict"), at = (what) => p.run(`(() => { const r = document.querySelector("${what}").getBoundingClientRect(); return [r.top, r.bottom, innerHeight]; })()`);
		assert.match(await text(p, ".foot"), /^✓ nothing lost\s+✓ tracing cost <0\.1% \(subtracted\)[^]* of goroutine time\s+What was traced, and \d+ notes$/);
		assert.ok((await at(".foot"))[1] <= (await at(".foot"))[2], "it is in sight");
		assert.equal(await p.run(`document.getElementById("traced").hidden`), true);
		await p.click(".foot button");
		assert.equal(await p.run(`document.querySelector(".foot button").getAttribute("aria-expanded")`), "true");
		const [top, , high] = await at("#traced");
		assert.ok(top < high, "what was traced is in sight");
		assert.match(await text(p, "#traced"), /Built with\s+go1/);
		await p.click(".foot button");
		assert.equal(await p.run(`document.getElementById("traced").hidden`), true);
		await p.done();
		const lost = await open("lost");
		assert.match(await text(lost, ".foot .doubt"), /⚠ 3 events lost/);
		await lost.done();
	},

	async "a name that is too long keeps its end"() {
		const p = await open("evict", "", { width: 480, height: 900 });
		for (const [front, room] of await p.run(`[...document.querySelectorAll(".cards .front")].map((f) => [f.getBoundingClientRect().right, f.closest(".name").getBoundingClientRect().right - (f.parentNode.getBoundingClientRect().right - f.getBoundingClientRect().right)])`))
			assert.ok(front <= room + 1, `${front} ${room}`);
		const q = await open("evict", "", { width: 1000, height: 900 }), seen = await q.run(`(() => { const n = document.querySelector(".cards .name"), f = n.querySelector(".front"); n.style.width = "110px"; return [f.scrollWidth > f.clientWidth, n.scrollWidth <= 111, n.textContent]; })()`);
		assert.deepEqual(seen, [true, true, "main.(*cache).find"]);
		await p.done();
		await q.done();
	},

	async "a search dims what it does not find"() {
		for (const view of ["flame", "sankey"]) {
			const p = await open("panics.emulated", "#view=" + view), look = () => view === "flame" ? picture(p) :
				p.run(`document.querySelectorAll("#sankey .dim").length`);
			const before = await look();
			await p.press("/");
			await p.type("main.main");
			assert.notEqual(await look(), before);
			await p.press("Escape");
			assert.equal(await look(), before);
			await p.done();
		}
	},

	async "callees hang below or stand above"() {
		const p = await open("panics.emulated", "#view=flame"), down = await picture(p);
		await p.press("3");
		await p.press("i");
		assert.notEqual(await picture(p), down);
		for (const key of ["ArrowUp", "ArrowUp", "ArrowRight", "ArrowDown"]) await p.press(key);
		const [x, y] = await p.placeOf("#flame");
		await p.move(x, y);
		await p.press("Escape");
		await p.click("#flame-legend button");
		await p.press("0");
		await p.done();
	},

	async "a narrow window has no Sankey picture, and says so"() {
		const p = await open("large", "#view=sankey", { width: 480, height: 800 });
		const seen = (what) => p.run(`document.querySelector("${what}").getClientRects().length > 0`);
		assert.deepEqual([await seen("#tab-sankey"), await seen("#sankey"), await seen("#sankey-legend")], [false, false, false]);
		assert.match(await p.run(`document.querySelector("#too-narrow").innerText`), /600 pixels/);
		await p.click("#too-narrow button");
		assert.equal(await p.run(`document.querySelector("#tab-flame").getAttribute("aria-selected")`), "true");
		await p.run(`document.querySelector("#tab-flame").focus()`);
		for (let i = 0; i < 10; i++) { // round and round, never to what is not there
			await p.press("ArrowRight");
			assert.equal(await p.run(`document.activeElement.id !== "tab-sankey" && document.activeElement.getClientRects().length > 0`), true);
		}
		await p.page.setViewportSize({ width: 1000, height: 800 });
		await p.click("#tab-sankey");
		assert.deepEqual([await seen("#sankey"), await seen("#too-narrow")], [true, false]);
		assert.ok(await p.run(`document.querySelector("#sankey .bar").getBoundingClientRect().width`) > 1);
		await p.done();
	},

	async "a Sankey picture begins large enough to be read, and fills the height"() {
		for (const [name, width] of [["large", 1440], ["evict", 1280], ["storm.go1.27.emulated", 1280]]) {
			const p = await open(name, "#view=sankey", { width, height: 900 });
			const [columns, high, of, size, cut] = await p.run(`(() => {
				const bars = [...document.querySelectorAll("#sankey .bar rect.edge")].map((b) => b.getBoundingClientRect()), box = document.querySelector("#sankey").getBoundingClientRect();
				const xs = [...new Set(bars.map((r) => Math.round(r.x)))].sort((a, b) => a - b), texts = [...document.querySelectorAll("#sankey .bar text")].filter((t) => getComputedStyle(t).display !== "none");
				return [xs.slice(1).map((x, i) => x - xs[i]), Math.max(...bars.map((r) => r.bottom)) - Math.min(...bars.map((r) => r.top)), box.height, Math.min(...texts.map((t) => t.getBoundingClientRect().height)), texts.map((t) => t.textContent)];
			})()`);
			for (const wide of columns) assert.ok(wide >= 100, name + ", columns " + columns.join(" "));
			assert.ok(high > 0.6 * of, `${name}: ${high} of ${of}`);
			assert.ok(size > 10, name + ", letters " + size);
			assert.ok(cut.every((t) => !/^.?…/.test(t)), cut.join(" "));
			await p.done();
		}
	},

	async "the Sankey picture begins with the go statement that ran most, until goroutines are chosen"() {
		const p = await open("evict"), pick = () => p.run(`document.getElementById("pick").value`);
		await p.click("#tab-sankey");
		const auto = await pick();
		assert.match(auto, /^p\d+$/);
		assert.match(await text(p, "#sankey-legend"), /^Only (go |main).*, where most ran\. All goroutines/);
		const ran = await p.run(`[...document.querySelectorAll("#sankey .bar")].length`);
		assert.ok(ran > 0);
		assert.equal(await hash(p, "pick"), null);
		await p.click("#tab-flame");
		assert.equal(await pick(), "all", "other views are of all");
		await p.click("#tab-sankey");
		assert.equal(await pick(), auto);
		await p.click("#sankey-legend button");
		assert.deepEqual([await pick(), await hash(p, "pick")], ["all", "all"]);
		const again = await open("evict", await p.run("location.hash"));
		assert.equal(await again.run(`document.getElementById("pick").value`), "all");
		await again.done();
		await p.click("#tab-flame");
		await p.click("#tab-sankey");
		assert.equal(await pick(), "all", "all were chosen");
		await p.run("history.back()");
		await p.settle();
		await p.done();
	},

	async "numbers of a small Sankey picture do not cover each other"() {
		const p = await open("large", "#view=sankey", { width: 700, height: 700 });
		const covered = () => p.run(`(() => {
			const all = [...document.querySelectorAll("#sankey .bar .v")].map((e) => e.getBoundingClientRect()).filter((r) => r.width);
			return all.filter((a, i) => all.some((b, j) => j > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)).length;
		})()`);
		assert.equal(await covered(), 0);
		for (let i = 0; i < 4; i++) await p.press("-");
		assert.equal(await covered(), 0);
		await p.done();
	},

	async "a small Sankey picture shows which part of the large one is in sight"() {
		const p = await open("large", "#view=sankey"), map = () => p.run(`!document.querySelector("#sankey-map").hidden`);
		const place = () => p.run(`document.querySelector("#sankey svg > g").getAttribute("transform")`);
		const view = () => p.run(`["x", "y", "width", "height"].map((a) => Number(document.querySelector("#sankey-map .view").getAttribute(a)))`);
		assert.equal(await map(), true, "it begins with what can be read");
		await p.press("0");
		assert.equal(await map(), false, "all is in sight");
		await p.run(`document.querySelector("#sankey").focus()`);
		for (let i = 0; i < 6; i++) await p.press("+");
		assert.ok(await map());
		const before = await view(), was = await place();
		await p.press("ArrowRight");
		assert.ok((await view())[0] > before[0], "what is in sight is further right");
		const [x, y] = await p.run(`(() => { const r = document.querySelector("#sankey-map svg").getBoundingClientRect(); return [r.left + 2, r.top + 2]; })()`);
		await p.clickAt(x, y);
		assert.notEqual(await place(), was);
		const [left, top] = await view();
		assert.ok(left === 0 && top === 0, "the corner that was pressed is in sight");
		await p.press("0");
		assert.equal(await map(), false);
		await p.done();
	},

	async "the Sankey picture has fewer or more functions"() {
		const p = await open("large", "#view=sankey"), bars = () => p.run(`document.querySelectorAll("#sankey .bar").length`);
		const some = await bars();
		await p.run(`document.querySelector("#sankey-most").focus()`);
		await p.press("ArrowRight");
		const many = await bars();
		await p.press("ArrowLeft");
		await p.press("ArrowLeft");
		const few = await bars();
		assert.ok(few < some && some < many, [few, some, many].join());
		await p.done();
	},

	...(process.env.AXE ? axeTests({ open, has }) : {}),
});
