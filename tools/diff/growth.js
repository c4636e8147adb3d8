'use strict';
// The page of profsup-diff --growth: a plot of what grows, with both axes logarithmic, so that a power of n is a straight
// line, and tables to choose from.  Names are anybody's: they become text, never markup.
const data = JSON.parse(document.getElementById('data').textContent);
const sizes = data.sizes.map(s => s.n), last = sizes[sizes.length - 1];
const space = 'http://www.w3.org/2000/svg', wide = 900, high = 436, left = 80, above = 16, bottom = 40, colors = 8;
const name = r => (r.caller === null ? '' : `${r.caller} \u2192 `) + r.function;
const short = x => x === null ? '\u221e' : x === 0 ? '0' : x >= 1e15 || x < 1e-3 ? x.toExponential(1) :
	x >= 1000 ? Math.round(x).toLocaleString('en') : String(+x.toPrecision(3));

function add(parent, tag, text, className) {
	const e = parent.appendChild(document.createElement(tag));
	if (text !== undefined)
		e.textContent = text;
	if (className)
		e.className = className;
	return e;
}

function shape(parent, tag, attributes, text) {
	const e = parent.appendChild(document.createElementNS(space, tag));
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (text !== undefined)
		e.textContent = text;
	return e;
}

function growth(fit) {
	if (fit.growth !== 'n^k')
		return fit.growth;
	return `n^${fit.exponent.toFixed(2)}` + (fit.error === null ? '' : ` \u00b1 ${fit.error.toFixed(2)}`);
}

// The fitted line, through the last point that there is.
function fitted(fit, n) {
	const to = fit.ahead.n / 10, at = fit.values[sizes.findIndex(s => Math.abs(s - to) < 1e-9 * s)];
	return fit.growth === 'n^k' ? at * Math.pow(n / to, fit.exponent) : at * n * Math.log(n) / (to * Math.log(to));
}

// Decades from below the least value to above the greatest.
function decades(values) {
	const seen = values.filter(v => v > 0 && isFinite(v));
	const low = Math.floor(Math.log10(Math.min(...seen))), top = Math.ceil(Math.log10(Math.max(...seen)));
	return [low, Math.max(top, low + 1)];
}

function axes(svg, x, y, [low, top], unit) {
	const step = Math.ceil((top - low) / 10);
	for (let d = low; d <= top; d += step) {
		const at = y(Math.pow(10, d));
		shape(svg, 'line', { x1: left, x2: wide, y1: at, y2: at, class: 'grid' });
		shape(svg, 'text', { x: left - 6, y: at + 4, 'text-anchor': 'end' }, short(Math.pow(10, d)));
	}
	for (const n of [...sizes, 10 * last]) {
		shape(svg, 'line', { x1: x(n), x2: x(n), y1: above, y2: high - bottom, class: 'grid' });
		shape(svg, 'text', { x: x(n), y: high - bottom + 16, 'text-anchor': n === 10 * last ? 'end' : 'middle' }, short(n));
	}
	shape(svg, 'text', { x: (left + wide) / 2, y: high - 4, 'text-anchor': 'middle' }, 'n');
	shape(svg, 'text', { x: left, y: 11 }, unit);
}

// `rows`: what is drawn, each with its color and its fit.
function plot(svg, rows, unit) {
	svg.replaceChildren();
	svg.style.display = rows.length > 0 ? '' : 'none';
	if (rows.length === 0)
		return;
	const range = decades(rows.flatMap(r => [...r.fit.values, r.fit.ahead.value]));
	const x = n => left + (wide - left) * Math.log(n / sizes[0]) / Math.log(10 * last / sizes[0]);
	const y = v => above + (high - bottom - above) * (range[1] - Math.log10(v)) / (range[1] - range[0]);
	axes(svg, x, y, range, unit);
	for (const r of rows) {
		const g = shape(svg, 'g', { class: `c${r.color}` }), ends = [sizes[0], 10 * last], path = [];
		for (let i = 0; i <= 60; i++) {
			const n = ends[0] * Math.pow(ends[1] / ends[0], i / 60), at = Math.min(Math.max(y(fitted(r.fit, n)), -high), 2 * high);
			path.push(`${x(n).toFixed(1)},${at.toFixed(1)}`);
		}
		shape(g, 'polyline', { points: path.join(' ') });
		r.fit.values.forEach((v, i) => {
			if (v > 0)
				shape(shape(g, 'circle', { cx: x(sizes[i]), cy: y(v), r: 4 }), 'title', {}, `${name(r)}: ${short(v)} at n = ${short(sizes[i])}`);
		});
	}
}

// An arc that has all calls of its function says nothing more.
const arcs = new Map();
for (const r of data.rows)
	if (r.caller !== null)
		arcs.set(r.function, (arcs.get(r.function) || 0) + 1);
const tells = r => r.fit.faster && (r.caller === null || arcs.get(r.function) > 1);

function section(title, key, unit) {
	const known = data.rows.filter(r => r[key] && r[key].growth !== null).map(r => ({ ...r, fit: r[key] }));
	const rank = r => (r.fit.faster ? 2 : 0) + (r.fit.growth === 'n^k' ? 1 : 0);
	known.sort((a, b) => rank(b) - rank(a) || b.fit.exponent - a.fit.exponent || b.fit.ahead.value - a.fit.ahead.value);
	known.filter(tells).slice(0, colors).forEach(r => { r.drawn = true; });
	[...known.filter(tells), ...known.filter(r => !tells(r))].forEach((r, i) => { r.color = i % colors; });
	add(document.body, 'h2', title);
	const none = add(document.body, 'p', 'Nothing grows faster than n.');
	none.hidden = known.some(tells);
	const svg = document.body.appendChild(document.createElementNS(space, 'svg'));
	svg.setAttribute('viewBox', `0 0 ${wide} ${high}`);
	svg.setAttribute('class', 'plot');
	const label = add(document.body, 'label'), all = add(label, 'input');
	all.type = 'checkbox';
	add(label, 'span', ' show what does not grow faster than n, too');
	const table = add(document.body, 'table'), head = add(add(table, 'thead'), 'tr'), body = add(table, 'tbody');
	for (const text of ['function, or arc', ...sizes.map(n => `n = ${short(n)}`), 'growth', `n = ${short(10 * last)}`, 'from', 'to'])
		add(head, 'th', text);
	const draw = () => {
		body.replaceChildren();
		for (const r of known.filter(r => all.checked || tells(r)).slice(0, 2000)) {
			const row = add(body, 'tr'), first = add(add(row, 'td'), 'label'), box = add(first, 'input');
			box.type = 'checkbox';
			box.checked = r.drawn;
			box.onchange = () => { r.drawn = box.checked; draw(); };
			add(first, 'span', name(r), r.drawn ? `name c${r.color}` : 'name');
			r.fit.values.forEach(v => add(row, 'td', short(v)));
			add(row, 'td', growth(r.fit));
			for (const v of [r.fit.ahead.value, r.fit.ahead.low, r.fit.ahead.high])
				add(row, 'td', short(v));
		}
		plot(svg, known.filter(r => r.drawn), unit);
	};
	all.onchange = draw;
	draw();
}

add(document.body, 'h1', `${data.program} at n = ${sizes.map(short).join(', ')}`);
add(document.body, 'p', `Runs: ${data.sizes.map(s => s.runs.length).join(', ')}. Lines go on to ten times the largest n.`);
section('Calls', 'calls', 'calls');
section(data.measured ? 'Seconds, of functions themselves and below arcs' : 'Seconds, of functions themselves', 'time', 's');
