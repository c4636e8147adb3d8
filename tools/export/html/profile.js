/*
 * The profile, from the data that html.c has written.
 *
 * SPDX-License-Identifier: ISC
 */
const MOST_NAME = 300; // characters of a name that are shown

function shortened(name) {
	return name.length <= MOST_NAME ? name : name.slice(0, MOST_NAME - 60) + "…" + name.slice(-59);
}

// Cycles are chains' frames, too, and so are they functions here, of the kind that nobody calls.
function readProfile(data) {
	const functions = data.functions.map(([name, self, total, calls, bySelf, cycle, noSymbol, start, lines], id) => ({
		id, name, self, total, cycle, bySelf,
		shown: shortened(name),
		tint: tintOf(name),
		calls: calls - bySelf,
		other: noSymbol !== 0 || /^\[.*\]$/.test(name),
		start: start.length > 0 ? lineAt(data, start[0], start[1]) : null,
		lines: linesOf(data, lines),
		callers: [],
		callees: [],
	}));
	const arcs = new Map();

	for (let i = 0; i < data.edges.length; i += 4) {
		const arc = {
			caller: functions[data.edges[i]],
			callee: functions[data.edges[i + 1]],
			calls: data.edges[i + 2],
			ticks: data.edges[i + 3],
		};
		arc.caller.callees.push(arc);
		arc.callee.callers.push(arc);
		arcs.set(arcKey(arc.caller, arc.callee), arc);
	}
	return { ...data, functions, arcs, tree: readChains(data, functions) };
}

// From 0 to 1, always the same for a name.
function tintOf(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 997;
	return hash / 997;
}

function arcKey(caller, callee) {
	return caller.id + " " + callee.id;
}

function arcBetween(profile, caller, callee) {
	return profile.arcs.get(arcKey(caller, callee));
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
	const newFrame = (name, fn) => ({ name, fn, number: 0, value: 0, self: 0, children: [] });
	const root = newFrame(shortened(data.program.replace(/.*\//, "") || "all"), null);
	const path = [root];
	const known = new Map(); // frames by the number of the one above them, and their own function
	const ids = functions.length + cycles.size + 1;
	let frames = 1;

	for (const [kept, ticks, ...added] of data.chains) {
		path.length = kept + 1;
		for (const id of added) {
			const above = path[path.length - 1];
			const key = above.number * ids + cycles.size + id;
			let frame = known.get(key);

			if (frame === undefined) {
				frame = id >= 0 ? newFrame(functions[id].shown, functions[id]) : newFrame("[cycle " + -id + "]", null);
				if (id < 0)
					frame.members = cycles.get(-id) || [];
				frame.number = frames++;
				known.set(key, frame);
				above.children.push(frame);
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

function settleFrames(root) {
	const left = [root];

	while (left.length > 0) {
		const frame = left.pop();

		frame.children.sort((a, b) => b.value - a.value);
		for (const child of frame.children)
			left.push(child);
	}
}
