// Tests of what an address tells, of files that were cut off, of print, and of contrast. For test.mjs.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

// By WCAG 2, of two colours as [r, g, b].
const luminance = (rgb) => rgb.map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m); return (x + 0.05) / (y + 0.05); };

export const addressTests = ({ open, text, shown, hash, file }) => ({
	async "an address shows the same again: zoom, open rows, order, names"() {
		const p = await open("evict", "#view=timeline"), written = (what) => p.until(`location.hash.includes(${JSON.stringify(what)})`);
		const again = async (view, look) => {
			const q = await open("evict", await p.run("location.hash"));
			assert.equal(await look(q), await look(p), view);
			assert.equal(await q.run("location.hash"), await p.run("location.hash"), view);
			await q.done();
		};
		await p.run(`document.querySelector("#timeline").focus()`);
		for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown", "Enter", "+", "+", "ArrowRight"]) await p.press(key);
		await written("at=");
		assert.ok(await hash(p, "open"));
		await p.run(`document.querySelector("#timeline").blur()`);
		const lines = (q) => q.run(`document.querySelector("#timeline-legend").innerText`);
		await again("timeline", lines);
		await p.click("#tab-flame");
		await p.run(`document.querySelector("#flame").focus()`);
		for (const key of ["ArrowDown", "ArrowDown", "Enter", "i"]) await p.press(key);
		await p.press("Escape");
		await written("zoom=");
		assert.equal(await hash(p, "zoom") !== null, true);
		await again("flame", (q) => q.run(`document.querySelector("#flame-legend").innerText`));
		await p.click("#tab-table");
		await p.click("#rows th:nth-child(1) button");
		await p.click("#full");
		assert.equal(await hash(p, "full"), "1");
		await again("table", (q) => text(q, "#rows"));
		await p.done();
	},

	async "an address that names what is not there says so"() {
		const p = await open("evict", "#view=functions&focus=does.not.exist&pick=p99999");
		assert.equal(await shown(p, "view-table"), true);
		assert.match(await text(p, "#unknown"), /names p99999, does\.not\.exist\. That is not in this page/);
		await p.done();
		const q = await open("evict", "#view=nothing");
		assert.match(await text(q, "#unknown"), /names nothing\./);
		await q.run(`location.hash = "#view=flame"`);
		await q.until(`document.getElementById("unknown").hidden`);
		await q.done();
	},

	async "a file that was cut off says so"() {
		const whole = readFileSync(file("evict"), "utf8"), cut = file("evict").replace(/html$/, "cut.htm"), p = await open("evict");
		assert.equal(await p.run(`document.getElementById("cut")`), null);
		const data = whole.indexOf('id="data"'), script = whole.lastIndexOf("<script>");
		for (const end of [data + 3000, script - 20, script + 5000]) {
			writeFileSync(cut, whole.slice(0, end));
			await p.page.goto(pathToFileURL(cut).href);
			await p.page.waitForSelector("#cut", { state: "visible" });
			assert.match(await text(p, "#cut"), /incomplete/);
		}
		await p.close();
	},

	async "what is not found, or not in focus, can still be read"() {
		for (const dark of [false, true]) {
			const p = await open("evict", "#view=flame&q=nothingofthatname", { dark });
			const [soft, fills] = await p.run(`(() => {
				const c = document.querySelector("#flame canvas"), count = new Map(), g = c.getContext("2d"), ground = getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number);
				for (let y = 6; y < c.height; y += 22) {
					const d = g.getImageData(0, y, c.width, 1).data;
					for (let i = 0; i < d.length; i += 4) if (d[i + 3]) {
						const rgb = [0, 1, 2].map((k) => Math.round(d[i + k] * d[i + 3] / 255 + ground[k] * (1 - d[i + 3] / 255))).join();
						count.set(rgb, (count.get(rgb) || 0) + 1);
					}
				}
				return [getComputedStyle(document.querySelector("#facts")).color.match(/\\d+/g).map(Number), [...count].filter(([, n]) => n > 60).map(([rgb]) => rgb.split(",").map(Number))];
			})()`);
			assert.ok(fills.length > 0);
			for (const fill of fills) assert.ok(contrast(soft, fill) >= 4.5, `${fill}: ${contrast(soft, fill)}${dark ? ", dark" : ""}`);
			await p.close();
		}
	},

	async "what is below the function in focus is not pale"() {
		// Of main.main everything is below: far below it a picture is as without a focus.
		const part = async (hash) => {
			const p = await open("storm.go1.27.emulated", hash), seen = await p.run(`[...document.querySelector("#flame canvas").getContext("2d").getImageData(5, 22 * 2, 200, 22).data].join()`);
			await p.done();
			return seen;
		};
		const plain = await part("#view=flame");
		assert.equal(await part("#view=flame&focus=main.main"), plain);
		assert.notEqual(await part("#view=flame&q=nothingofthatname"), plain);
	},

	async "colours are printed"() {
		const p = await open("evict");
		await p.page.emulateMedia({ media: "print" });
		assert.equal(await p.run(`getComputedStyle(document.querySelector(".parts i")).printColorAdjust`), "exact");
		assert.equal(await p.run(`document.querySelector("nav").getClientRects().length`), 0);
		assert.ok(await p.run(`document.querySelector("#view-overview").getBoundingClientRect().bottom > innerHeight`), "all of it is printed");
		await p.done();
	},

	async "nothing is wider than the window, from 480 to 2560 pixels"() {
		for (const width of [480, 768, 1280, 2560])
			for (const name of ["evict", "query", "storm.go1.27.emulated"]) {
				const p = await open(name, "", { width, height: 900 });
				for (const tab of await p.run(`[...document.querySelectorAll("#tabs button")].filter((b) => b.getClientRects().length).map((b) => b.id)`)) {
					await p.run(`document.getElementById("${tab}").click()`);
					await p.settle();
					assert.deepEqual(await p.run(`[document.documentElement.scrollWidth <= innerWidth, document.querySelector("#view-" + "${tab}".slice(4)).scrollWidth <= innerWidth]`), [true, true], `${name}, ${tab}, ${width}`);
				}
				await p.done();
			}
	},
});
