/*
 * The graph: d3-flame-graph, and what it lacks: colours that say something, a way through it by keyboard, a tooltip.
 *
 * SPDX-License-Identifier: ISC
 */
const FRAME_HEIGHT = 18, ZOOM_MS = 250;
const LEAST_WIDTH = 2; // pixels of a frame that is drawn
const EMPTY_ROWS = 2; // that d3-flame-graph leaves at the innermost end
const SCROLLBAR = 24; // more than its width: the graph does not grow as one goes, since one might come by that

// A graph with the methods that page.js uses.  onZoom is told of each zoom that the user has made.
function makeGraph(profile, onZoom) {
	const box = byId("chart"), tip = byId("tip");
	let isHit = null; // says of a frame whether it is found; null: nothing is searched for
	let dark = false, icicle = false;
	let here = null; // the frame that the keyboard is at
	let zoomed = null;
	let told = true;

	if (profile.tree.value === 0) {
		box.append(element("p", { class: "empty" }, "No time was sampled: there are only calls."));
		return {
			root: null, zoom() {}, view() {}, theme() {}, find: () => null, highlight: () => ({ frames: 0, ticks: 0 }),
		};
	}

	const selection = d3.select(box).datum(profile.tree);
	const tooltip = () => {};
	tooltip.show = (event, d) => showTip(event, d);
	tooltip.hide = () => {
		tip.hidden = true;
	};
	const chart = flamegraph()
		.width(innerWidth())
		.cellHeight(FRAME_HEIGHT)
		.minFrameSize(LEAST_WIDTH)
		.resetHeightOnZoom(true)
		.transitionDuration(0)
		.tooltip(tooltip)
		.getName((d) => d.data.name)
		.setDetailsHandler(() => {})
		.label(() => "")
		.setColorMapper((d) => colour(d))
		.onClick(afterZoom);
	selection.call(chart);
	const root = selection.datum();
	zoomed = here = root;
	settle();
	chart.transitionDuration(motion());

	function innerWidth() {
		return Math.max(200, box.clientWidth);
	}

	function motion() {
		return matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ZOOM_MS;
	}

	function atOnce(draw) {
		chart.transitionDuration(0);
		draw();
		chart.transitionDuration(motion());
	}

	function colour(d) {
		const { fn } = d.data;
		const tint = fn === null ? 0 : fn.tint;

		if (isHit !== null && d.highlight)
			return dark ? "hsl(285 60% 68%)" : "hsl(285 75% 78%)";
		const [hue, full] = fn === null || fn.other ? [0, 0]
			: fn.calls + fn.bySelf > 0 ? [22 + 30 * tint, 85] : [198 + 22 * tint, 45];
		const light = (dark ? 60 : 70) + 8 * ((tint * 7) % 1);
		return isHit === null ? `hsl(${hue.toFixed(0)} ${full}% ${light.toFixed(0)}%)`
			: `hsl(${hue.toFixed(0)} ${full / 5}% ${(light + (dark ? -10 : 8)).toFixed(0)}%)`;
	}

	function frames() {
		return d3.select(box).select("svg").selectAll("g.frame");
	}

	// d3-flame-graph draws by transitions, even if they are to take no time: their end is made at once.
	function finish() {
		const scale = chart.width() / (root.x1 - root.x0);
		const top = (d) => (icicle ? d.depth * FRAME_HEIGHT : chart.height() - (d.depth + 1) * FRAME_HEIGHT);

		frames().interrupt().attr("transform", (d) => `translate(${d.x0 * scale},${top(d)})`);
		frames().select("rect").interrupt().attr("width", (d) => (d.x1 - d.x0) * scale);
		frames().select("foreignObject").select("div").interrupt().text((d) => d.data.name);
	}

	// After each drawing: what d3-flame-graph doesn't know of.  With a viewBox the picture fits a sheet of paper.
	function settle() {
		const svg = d3.select(box).select("svg");
		const empty = EMPTY_ROWS * FRAME_HEIGHT, height = chart.height() - empty;

		if (chart.transitionDuration() === 0)
			finish();
		svg.attr("height", height)
			.attr("viewBox", `0 ${icicle ? 0 : empty} ${chart.width()} ${height}`)
			.attr("role", "img").attr("aria-label", icicle ? "icicle graph" : "flame graph");
		mark();
	}

	function mark() {
		frames().attr("data-here", (d) => (d !== here ? null : d === root ? "root" : "frame"));
		const caller = here.parent === null ? null : here.parent.data;
		byId("frame").replaceChildren(element("span", { class: "name" }, here.data.name),
			factList(frameFacts(profile, here.data, caller)));
		byId("reset").disabled = zoomed === root;
	}

	function redraw() {
		tip.hidden = true;
		atOnce(() => {
			chart.update();
			settle();
		});
	}

	function showTip(event, d) {
		const caller = d.parent === null ? null : d.parent.data;

		tip.replaceChildren(element("div", { class: "name" }, d.data.name), factList(frameFacts(profile, d.data, caller)));
		tip.hidden = false;
		const { width, height } = tip.getBoundingClientRect();
		const right = event.clientX + 14, below = event.clientY + 14;
		tip.style.left = Math.max(4, right + width > window.innerWidth ? event.clientX - width - 8 : right) + "px";
		tip.style.top = Math.max(4, below + height > window.innerHeight ? event.clientY - height - 8 : below) + "px";
	}

	// d3-flame-graph has zoomed, by a click or for zoom().
	function afterZoom(d) {
		zoomed = here = d;
		settle();
		showInnermost();
		if (told)
			onZoom(d === root ? null : d);
	}

	// A flame begins at the bottom.
	function showInnermost() {
		box.scrollTop = icicle ? 0 : box.scrollHeight;
	}

	function zoom(d) {
		// It expects that nobody zooms to what is hidden.
		root.each((n) => {
			n.data.hide = n.data.fade = false;
		});
		chart.zoomTo(d);
	}

	function move(d) {
		if (d === undefined || d === null)
			return;
		here = d;
		mark();
		const node = frames().filter((n) => n === here).node();
		if (node !== null)
			node.scrollIntoView({ block: "nearest" });
	}

	// The next frame of the same depth that is drawn.
	function beside(step) {
		const row = frames().data().filter((d) => d.depth === here.depth && d.value > 0).sort((a, b) => a.x0 - b.x0);
		return row[row.indexOf(here) + step];
	}

	function inward() {
		const drawn = new Set(frames().data());
		return (here.children || []).filter((d) => drawn.has(d)).sort((a, b) => b.value - a.value)[0];
	}

	function onKey(event) {
		const keys = {
			ArrowUp: () => move(icicle ? here.parent : inward()),
			ArrowDown: () => move(icicle ? inward() : here.parent),
			ArrowLeft: () => move(beside(-1)),
			ArrowRight: () => move(beside(1)),
			Home: () => move(root),
			Enter: () => zoom(here),
			" ": () => zoom(here),
		};

		if (event.altKey || event.ctrlKey || event.metaKey || keys[event.key] === undefined)
			return;
		event.preventDefault();
		keys[event.key]();
	}

	// Sums up the time of frames found that are not within another.
	function highlight(test) {
		let found = 0, ticks = 0;

		isHit = test;
		if (test !== null)
			root.eachBefore((d) => {
				d.highlight = d !== root && test(d.data);
				d.within = d.parent !== null && (d.parent.within || d.parent.highlight);
				if (d.highlight) {
					found++;
					ticks += d.within ? 0 : d.data.value;
				}
			});
		recolour();
		return { frames: found, ticks };
	}

	function recolour() {
		frames().select("rect").attr("fill", colour);
	}

	box.addEventListener("keydown", onKey);
	new ResizeObserver(() => {
		const wider = innerWidth() - chart.width();

		// On paper it is scaled.
		if ((wider >= 0 && wider < SCROLLBAR) || matchMedia("print").matches)
			return;
		chart.width(innerWidth());
		redraw();
	}).observe(box);

	return {
		root,
		highlight,
		zoom(d) {
			told = false;
			atOnce(() => zoom(d || root));
			told = true;
		},
		reset: () => zoom(root),
		isZoomed: () => zoomed !== root,
		view(isIcicle) {
			if (icicle !== isIcicle) {
				icicle = isIcicle;
				chart.inverted(icicle);
				redraw();
			}
			showInnermost();
		},
		theme(isDark) {
			dark = isDark;
			recolour();
		},
		// The frame with these names, from the outermost function on.
		find(names) {
			return names.reduce((d, name) => d && (d.children || []).find((child) => child.data.name === name), root) || null;
		},
		path: (d) => d.ancestors().reverse().slice(1).map((n) => n.data.name),
	};
}
