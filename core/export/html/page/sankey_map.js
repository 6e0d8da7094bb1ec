// A small picture of the whole one, shown while a part of it is out of sight: which part is in sight. Pressed or dragged, it goes there.

const MAP_WIDE = 190, MAP_HIGH = 120;

const sankeyMap = { of: null, view: null, scale: 1, wide: 0, high: 0 };

function drawMap() {
	const p = sankey.p, wide = p.layers * COLUMN, high = Math.max(1, p.height), scale = Math.min(MAP_WIDE / wide, MAP_HIGH / high);
	const view = el("svg:rect", { class: "view" }), stage = el("svg:g", { transform: `scale(${scale})` });
	for (const l of p.links) stage.append(el("svg:path", { class: l.e.getAttribute("class"), d: l.e.getAttribute("d"), style: { fill: l.e.style.fill } }));
	for (const n of p.nodes) {
		const wide = Math.max(BAR, 3 / scale), high = Math.max(n.h, 1 / scale);
		stage.append(el("svg:rect", { x: n.x, y: n.y, width: wide, height: high, style: { fill: n.kind === 0 ? fillOfNode(n) : REST[theme] } }));
	}
	Object.assign(sankeyMap, { of: p, view, scale, wide, high });
	$("sankey-map").replaceChildren(el("svg:svg", { width: wide * scale, height: high * scale }, stage, view));
}

// What is in sight, in the picture's own measure.
function inSight() {
	const box = $("sankey"), { x, y, scale } = sankey;
	return { x: -x / scale, y: -y / scale, wide: box.clientWidth / scale, high: box.clientHeight / scale };
}

function paintMap() {
	const p = sankey.p, map = $("sankey-map"), v = inSight();
	const all = v.x <= 1 && v.y <= 1 && v.x + v.wide >= p.layers * COLUMN - COLUMN + BAR - 1 && v.y + v.high >= p.height - 1;
	map.hidden = all || !p.nodes.length;
	if (map.hidden) return;
	if (sankeyMap.of !== p) drawMap();
	const { view, scale, wide, high } = sankeyMap, clamp = (n, most) => Math.max(0, Math.min(most, n));
	const x = clamp(v.x, wide), y = clamp(v.y, high);
	const at = { x, y, width: clamp(v.x + v.wide, wide) - x, height: clamp(v.y + v.high, high) - y };
	for (const [name, n] of Object.entries(at)) view.setAttribute(name, n * scale);
}

// The middle of what is in sight goes where it was pressed.
function moveByMap(e) {
	const r = $("sankey-map").firstChild.getBoundingClientRect(), v = inSight();
	sankey.moved = true;
	sankey.x = -((e.clientX - r.left) / sankeyMap.scale - v.wide / 2) * sankey.scale;
	sankey.y = -((e.clientY - r.top) / sankeyMap.scale - v.high / 2) * sankey.scale;
	moveStage();
}

function startMap() {
	const map = $("sankey-map");
	map.addEventListener("pointerdown", (e) => { map.setPointerCapture(e.pointerId); moveByMap(e); });
	map.addEventListener("pointermove", (e) => { if (map.hasPointerCapture(e.pointerId)) moveByMap(e); });
}
