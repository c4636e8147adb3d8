/*
 * The profile, from the data that html.c has written.
 *
 * SPDX-License-Identifier: ISC
 */
const MOST_NAME = 300; // characters of a name that are shown
const FEW = 8; // children of a frame that are looked through one by one

function shortened(name) {
	return name.length <= MOST_NAME ? name : name.slice(0, MOST_NAME - 60) + "…" + name.slice(-59);
}

// Cycles are chains' frames, too, and so are they functions here, of the kind that nobody calls.
function readProfile(data) {
	const functions = data.functions.map(([name, self, total, calls, bySelf, cycle, noSymbol, start, lines, body], id) => ({
		id, name, self, total, cycle, bySelf,
		body: body ?? self, // with what is inlined into it
		shown: shortened(name),
		tint: tintOf(name),
		calls: calls - bySelf,
		other: noSymbol !== 0 || /^\[.*\]$/.test(name),
		start: start.length > 0 ? lineAt(data, start[0], start[1]) : null,
		lines: linesOf(data, lines),
		callers: [],
		callees: [],
	}));

	for (let i = 0; i < data.edges.length; i += 4) {
		const arc = {
			caller: functions[data.edges[i]],
			callee: functions[data.edges[i + 1]],
			calls: data.edges[i + 2],
			ticks: data.edges[i + 3],
		};
		arc.caller.callees.push(arc);
		arc.callee.callers.push(arc);
	}
	return { ...data, functions, tree: readChains(data, functions) };
}

// From 0 to 1, always the same for a name.
function tintOf(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 997;
	return hash / 997;
}

function arcBetween(caller, callee) {
	return caller.callees.find((arc) => arc.callee === callee);
}

function lineAt(data, file, line) {
	return { file: data.sources[file], line, ticks: 0 };
}

function linesOf(data, flat) {
	const lines = [];

	for (let i = 0; i < flat.length; i += 3)
		lines.push({ ...lineAt(data, flat[i], flat[i + 1]), ticks: flat[i + 2] });
	return lines.sort((a, b) => b.ticks - a.ticks);
}

// The tree that d3-flame-graph draws, widest children first.  A frame is a function's, or a cycle's, which has none.
function readChains(data, functions) {
	const cycles = new Map();

	for (const f of functions)
		if (f.cycle > 0)
			cycles.set(f.cycle, [...(cycles.get(f.cycle) || []), f]);
	const newFrame = (name, fn, id) => ({ name, fn, id, value: 0, self: 0, children: [], byId: null });
	const root = newFrame(shortened(data.program.replace(/.*\//, "") || "all"), null, 0);
	const path = [root];

	for (const [kept, ticks, ...added] of data.chains) {
		path.length = kept + 1;
		for (const id of added) {
			const above = path[path.length - 1];
			let frame = childOf(above, id);

			if (frame === undefined) {
				frame = id >= 0 ? newFrame(functions[id].shown, functions[id], id) : newFrame("[cycle " + -id + "]", null, id);
				if (id < 0)
					frame.members = cycles.get(-id) || [];
				addChild(above, frame);
			}
			path.push(frame);
		}
		for (const frame of path)
			frame.value += ticks;
		path[path.length - 1].self += ticks;
	}
	settleFrames(root);
	return root;
}

// Most frames have few children, but some may have all functions.
function childOf(frame, id) {
	return frame.byId !== null ? frame.byId.get(id) : frame.children.find((child) => child.id === id);
}

function addChild(frame, child) {
	frame.children.push(child);
	if (frame.byId !== null)
		frame.byId.set(child.id, child);
	else if (frame.children.length > FEW)
		frame.byId = new Map(frame.children.map((c) => [c.id, c]));
}

function settleFrames(root) {
	const left = [root];

	while (left.length > 0) {
		const frame = left.pop();

		frame.children.sort((a, b) => b.value - a.value);
		for (const child of frame.children)
			left.push(child);
	}
}
