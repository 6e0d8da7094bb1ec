// Headless Chromium, by playwright-core: $PLAYWRIGHT is the folder that ci/page/npm.sh prints.
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { chromium } = await import(pathToFileURL(join(process.env.PLAYWRIGHT, "index.mjs")));

export class Browser {
	static async start() {
		const b = new Browser();
		// No sandbox: tests run as root in containers, on pages of our own. No /dev/shm: it is small there.
		// No time is too long: a machine may be busy. Playwright's own limit is 30 s.
		b.chromium = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium-headless-shell", timeout: 0,
			args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb", "--font-render-hinting=none"] });
		return b;
	}

	async page({ width = 1440, height = 900, dark = false, touch = false } = {}) {
		const context = await this.chromium.newContext({ viewport: { width, height }, isMobile: touch, hasTouch: touch,
			colorScheme: dark ? "dark" : "light" });
		context.setDefaultTimeout(0);
		context.setDefaultNavigationTimeout(0);
		const p = await context.newPage();
		return new Page(context, p);
	}

	stop() {
		return this.chromium.close();
	}
}

// A page, what it complained of and what it asked for.
class Page {
	constructor(context, page) {
		Object.assign(this, { context, page, problems: [], requests: [] });
		page.on("pageerror", (e) => this.problems.push(e.stack));
		page.on("console", (m) => this.problems.push("console: " + m.text()));
		page.on("request", (r) => this.requests.push(r.url()));
	}

	// Milliseconds from the start of the navigation until the page has drawn itself.
	async open(url) {
		await this.page.goto(url);
		return this.run("new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))");
	}

	dark(dark) {
		return this.page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
	}

	// The value of an expression in the page.
	run(expression) {
		return this.page.evaluate(expression);
	}

	// Until what was asked for is drawn.
	settle() {
		return this.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))");
	}

	// Until an expression is true. The page's policy forbids what Playwright does for that.
	async until(expression) {
		while (!await this.run(expression)) await this.settle();
	}

	// Calls, in the page, of what `name` does here.
	expose(name, called) {
		return this.page.exposeFunction(name, called);
	}

	async clickAt(x, y) {
		await this.page.mouse.click(x, y);
		await this.settle();
	}

	async move(x, y) {
		await this.page.mouse.move(x, y);
		await this.settle();
	}

	async drag(x0, y0, x1, y1) {
		await this.page.mouse.move(x0, y0);
		await this.page.mouse.down();
		await this.page.mouse.move(x1, y1, { steps: 5 });
		await this.page.mouse.up();
		await this.settle();
	}

	async wheel(x, y, deltaY, deltaX = 0, key = "") {
		await this.page.mouse.move(x, y);
		if (key) await this.page.keyboard.down(key);
		await this.page.mouse.wheel(deltaX, deltaY);
		await this.settle();
		if (key) await this.page.keyboard.up(key);
	}

	// The middle of an element.
	async placeOf(selector) {
		const at = await this.run(`(() => { const e = document.querySelector(${JSON.stringify(selector)}); if (!e) return null;
			e.scrollIntoView?.({ block: "nearest" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`);
		if (!at) throw new Error("nothing is " + selector);
		return at;
	}

	async click(selector) {
		await this.clickAt(...await this.placeOf(selector));
	}

	async hover(selector) {
		await this.move(...await this.placeOf(selector));
	}

	// A key by its name: "a", "Enter", "ArrowDown", "Shift+Tab".
	async press(key) {
		await this.page.keyboard.press(key);
		await this.settle();
	}

	async type(text) {
		await this.page.keyboard.insertText(text);
		await this.settle();
	}

	screenshot() {
		return this.page.screenshot();
	}

	close() {
		return this.context.close();
	}
}
