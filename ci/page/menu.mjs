// Tests of the menu of a function, and of functions that are hidden. For test.mjs.
import assert from "node:assert/strict";

export const menuTests = ({ open, text, shown, hash, has }) => ({
	async "the right button opens what can be done with a function"() {
		const p = await open("evict", "#view=table"), items = () => p.run(`[...document.querySelectorAll("#menu button")].map((b) => b.innerText)`);
		const press = async (what) => {
			const [x, y] = await p.placeOf(what);
			await p.page.mouse.click(x, y, { button: "right" });
			await p.settle();
		};
		const choose = async (name) => { await p.click(`#menu button:nth-of-type(${1 + (await items()).indexOf(name)})`); };
		await p.run(`window.copied = []; addEventListener("copy", (e) => window.copied.push(e.clipboardData.getData("text/plain")))`);
		await press(`#rows td[title="main.(*cache).evict"]`);
		assert.deepEqual(await items(), ["Callers and callees", "In the flame graph", "Its slowest calls", "Hide it and all below it", "Copy its name", "Copy file and line", "Open in an editor", "Choose the editor …"]);
		await choose("Copy its name");
		assert.equal(await shown(p, "menu"), false);
		await press(`#rows td[title="main.(*cache).evict"]`);
		await choose("Copy file and line");
		const [name, line] = await p.run("window.copied");
		assert.equal(name, "main.(*cache).evict");
		assert.match(line, /\.go:\d+$/);
		await press(`#rows td[title="main.(*cache).evict"]`);
		await p.press("ArrowDown");
		await p.press("ArrowDown");
		await p.press("Enter");
		assert.deepEqual([await hash(p, "view"), await hash(p, "focus")], ["slow", "main.(*cache).evict"]);
		await p.click("#view-slow .plain");
		await press("#view-slow tr.row td.name");
		await p.press("Escape");
		assert.equal(await shown(p, "menu"), false);
		for (const [view, at] of [["flame", [20, 30]], ["timeline", null]]) {
			await p.click("#tab-" + view);
			const box = await p.run(`(() => { const r = document.querySelector("#${view}").getBoundingClientRect(); return [r.x, r.y, r.width, r.height]; })()`);
			for (let dy = 30; at ? dy < 31 : dy < 200 && !await shown(p, "menu"); dy += 6) {
				await p.page.mouse.click(box[0] + box[2] * 0.5, box[1] + dy, { button: "right" });
				await p.settle();
			}
			assert.ok((await items()).includes("Zoom to it"), view);
			await choose("Zoom to it");
		}
		assert.match(await text(p, "#timeline-legend"), /Whole line/);
		await p.click("#tab-flame");
		assert.match(await text(p, "#flame-legend"), /Whole graph/);
		await p.done();
	},

	async "a function is opened in the editor that was chosen, and only when asked"() {
		const p = await open("evict", "#view=table"), went = async (name) => {
			const [x, y] = await p.placeOf(`#rows td[title="main.(*cache).evict"]`);
			await p.page.mouse.click(x, y, { button: "right" });
			await p.settle();
			await p.click(`#menu button:nth-of-type(${1 + (await p.run(`[...document.querySelectorAll("#menu button")].map((b) => b.innerText)`)).indexOf(name)})`);
		};
		await p.run(`window.went = []; addEventListener("click", (e) => { if (e.target.tagName === "A") { e.preventDefault(); window.went.push(e.target.getAttribute("href")); } }, true);
			HTMLAnchorElement.prototype.click = function () { window.went.push(this.getAttribute("href")); }`);
		await went("Open in an editor");
		const [first] = await p.run("window.went");
		assert.match(first, /^vscode:\/\/file\/.*\.go:\d+$/);
		await went("Choose the editor …");
		for (const no of ["javascript:alert(1)//PATH", "https://example.org/PATH", "zed://file/"]) {
			await p.run(`document.getElementById("editor").value = ${JSON.stringify(no)}`);
			await p.press("Enter");
			assert.match(await text(p, "#editor-says"), /needs a scheme/);
		}
		await p.run(`document.getElementById("editor").value = "idea://open?file=PATH&line=LINE"`);
		await p.press("Enter");
		assert.equal(await p.run(`document.getElementById("help").open`), false);
		await went("Open in an editor");
		assert.match((await p.run("window.went")).at(-1), /^idea:\/\/open\?file=.*\.go&line=\d+$/);
		await p.done();
	},

	async "what is seen can be given to others"() {
		const p = await open("evict", "#view=slow&focus=main.(*cache).find&parked=1"), items = () => p.run(`[...document.querySelectorAll("#menu button")].map((b) => b.innerText)`);
		await p.run(`window.copied = []; addEventListener("copy", (e) => window.copied.push(e.clipboardData.getData("text/plain")))`);
		await p.click("#share");
		assert.deepEqual(await items(), ["Copy the address of this view", "Copy as a gotrace command", "Print"]);
		await p.click("#menu button:nth-of-type(1)");
		await p.click("#share");
		await p.click("#menu button:nth-of-type(2)");
		const [link, command] = await p.run("window.copied");
		assert.equal(link, await p.run("location.href"));
		assert.match(command, /^gotrace report --by=call -s total '?--focus='?main\.\(\*cache\)\.find'? \S+$/);
		await p.click("#tab-flame");
		await p.click("#share");
		assert.ok((await items()).includes("Save as a picture"));
		await p.press("Escape");
		assert.equal(await p.run(`document.activeElement.id`), "share");
		await p.done();
	},

	async "what is hidden is in no number, and comes back"() {
		const p = await open("evict", "#view=table"), names = () => p.run(`[...document.querySelectorAll("#rows tr.row")].map((r) => r.cells[0].title)`), total = (f) => p.run(`[...document.querySelectorAll("#rows tr.row")].find((r) => r.cells[0].title === "${f}").cells[1].innerText`);
		const before = await names(), main = await total("main.main"), serve = await total("main.serveEvict");
		await p.run(`location.hash = "#view=table&hide=" + encodeURIComponent("main.(*cache).find")`);
		await p.until(`document.querySelector(".chip.hides")`);
		const left = await names();
		for (const gone of ["main.(*cache).find", "main.(*cache).evict"]) assert.ok(before.includes(gone) && !left.includes(gone), gone);
		assert.ok(left.includes("main.serveEvict"));
		assert.equal(await total("main.main"), main.replace(/[\d.]+%/, "") + (await total("main.main")).match(/[\d.]+%/)[0], "it waits as long as before");
		assert.notEqual(await total("main.serveEvict"), serve, "without what it called");
		for (const view of ["flame", "timeline", "slow", "sankey", "overview"]) await p.click("#tab-" + view);
		assert.equal(await p.run(`[...document.querySelectorAll(".path.own > div")].some((r) => r.title === "main.(*cache).find")`), false);
		await p.click("#scope .hides");
		assert.equal(await hash(p, "hide"), null);
		await p.click("#tab-table");
		assert.deepEqual(await names(), before);
		assert.equal(await has(p, ".chip.hides"), false);
		await p.done();
	},
});
