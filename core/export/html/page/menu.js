// What can be done with a function: by the right button, a long press, or the menu key.

function copy(text) {
	const put = (e) => { e.clipboardData.setData("text/plain", text); e.preventDefault(); };
	document.addEventListener("copy", put);
	say(document.execCommand("copy") ? "copied: " + text : "nothing was copied: the browser refused it");
	document.removeEventListener("copy", put);
}

let menuFrom = null;

function closeMenu() {
	if ($("menu").hidden) return;
	$("menu").hidden = true;
	if (menuFrom) menuFrom.focus({ preventScroll: true });
}

// zoom: shows what was pressed larger; null: there is nothing to be zoomed.
function openMenu(f, x, y, zoom) {
	const item = (text, go) => el("button", { type: "button", role: "menuitem", tabindex: -1, onclick: () => { closeMenu(); go(); } }, text), menu = $("menu");
	menuFrom = document.activeElement;
	hideTip();
	menu.setAttribute("aria-label", F.names[f]);
	menu.replaceChildren(...[el("div", { class: "fn", role: "presentation" }, label(f)), zoom ? item("Zoom to it", zoom) : null,
		item("Callers and callees", () => focusOn(f)), S.view === "flame" ? null : item("In the flame graph", () => set({ view: "flame", focus: f })),
		SLOW.has(f) ? item("Its slowest calls", () => set({ view: "slow", focus: f })) : null,
		WAS || S.hidden.includes(f) ? null : item("Hide it and all below it", () => set({ hidden: [...S.hidden, f], focus: -1 })),
		item("Copy its name", () => copy(F.names[f])), F.file[f] ? item("Copy file and line", () => copy(F.file[f] + ":" + F.line[f])) : null].filter(Boolean));
	menu.hidden = false;
	const r = menu.getBoundingClientRect();
	menu.style.left = Math.max(4, Math.min(x, innerWidth - r.width - 4)) + "px";
	menu.style.top = Math.max(4, Math.min(y, innerHeight - r.height - 4)) + "px";
	menu.querySelector("button").focus();
}

// The function at a place, and how to zoom to it; null: there is none.
function functionAt(e) {
	const box = e.target.closest("#flame, #timeline"), named = e.target.closest("[data-f]"), key = !e.clientX && !e.clientY;
	if (named) return { f: Number(named.dataset.f), zoom: null };
	if (!box) return null;
	const r = box.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
	if (box.id === "flame") {
		const i = key || e.button !== 2 ? flame.at : frameAt(x, y);
		return i > 0 ? { f: flame.m.func[i], zoom: () => { zoomTo(i); set({}); } } : null;
	}
	const at = spanAt(x, y);
	if (!at || !at.spans || at.state) return null;
	const from = at.spans.start[at.k], to = at.spans.end[at.k], slack = (to - from || 1) / 10;
	return { f: T.func[at.spans.what[at.k]], zoom: () => { showStretch((from - slack) / TL.length, (to + slack) / TL.length); timelineLegend(); } };
}

function startMenu() {
	document.addEventListener("contextmenu", (e) => {
		const at = functionAt(e), r = e.target.getBoundingClientRect();
		if (!at || at.f >= F.all) return;
		e.preventDefault();
		openMenu(at.f, e.clientX || r.left + 30, e.clientY || r.top + 30, at.zoom);
	});
	document.addEventListener("pointerdown", (e) => { if (!$("menu").contains(e.target)) $("menu").hidden = true; });
	$("menu").addEventListener("keydown", (e) => {
		const all = [...$("menu").querySelectorAll("button")], step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
		if (step) all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
		else if (e.key === "Escape" || e.key === "Tab") closeMenu();
		else if (e.key === "Enter" || e.key === " ") document.activeElement.click();
		else return;
		e.preventDefault();
		e.stopPropagation();
	});
}
