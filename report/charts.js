/* Charts over time, drawn by uPlot: one cursor and one zoom for all of them, values in the legend under each.
 * A mouse drags to zoom, two fingers pinch, one finger reads values while the page still scrolls up and down. */
"use strict";

const charts = [];
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const superscript = text => text.replace(/./g, c => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] || (c === "-" ? "⁻" : ""));

/* A number for people: so many digits, 1.2×10⁻⁷ where zeros would be counted otherwise. */
function show(value, digits = 4) {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) {
    const [mantissa, power] = value.toExponential(digits - 2 > 0 ? digits - 2 : 0).split("e");
    const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
    return (short + "×10" + superscript(power)).replace("-", "−");
  }
  const text = value.toPrecision(digits);
  const plain = text.includes("e") ? String(Math.round(value)) : text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  return plain.replace("-", "−");
}

/* Axis labels: powers of ten only when all the others are too small or too large for plain digits. */
function tickText(ticks, suffix) {
  const most = Math.max(...ticks.map(v => Math.abs(v || 0)));
  const step = ticks.length > 1 ? Math.abs(ticks[1] - ticks[0]) : most;
  if (most !== 0 && (most < 1e-3 || most >= 1e6)) return ticks.map(v => (v === null ? "" : show(v, 4)));
  let decimals = 0;
  while (decimals < 9 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals++;
  return ticks.map(v => (v === null ? "" : v.toFixed(decimals).replace("-", "−") + suffix));
}

/* Powers of ten, at most six of them. */
function powers(u, axis, lo, hi) {
  const low = Math.ceil(Math.log10(lo) - 1e-9), high = Math.floor(Math.log10(hi) + 1e-9), list = [];
  for (let n = low; n <= high; n += Math.ceil((high - low + 1) / 6)) list.push(10 ** n);
  return list;
}
const powerText = ticks => ticks.map(v => "10" + superscript(String(Math.round(Math.log10(v)))));

function axisSize(u, labels) {
  const longest = (labels || []).reduce((most, text) => Math.max(most, [...text].length), 0);
  return Math.ceil(18 + 6.6 * Math.max(longest, 2));
}

/* Room above and below; a line that never changes still gets an axis. */
function padded(u, lo, hi) {
  if (lo === null || hi === null) return [0, 1];
  const span = hi - lo, size = Math.max(Math.abs(lo), Math.abs(hi));
  if (size === 0) return [-1, 1];
  const pad = span > 1e-12 * size ? 0.08 * span : 0.1 * size;
  return [lo >= 0 && lo - pad < 0 ? 0 : lo - pad, hi <= 0 && hi + pad > 0 ? 0 : hi + pad];
}

function decades(u, lo, hi) {
  if (!(lo > 0) || !(hi > 0)) return [1e-1, 1];
  const low = Math.floor(Math.log10(lo) + 1e-9), high = Math.ceil(Math.log10(hi) - 1e-9);
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

const whole = times => [0, times.length > 1 ? times[times.length - 1] : times[0] * 1.5];

/* The part of time that all charts show; null: all of it. */
function zoomTo(range) {
  for (const chart of charts) {
    const [lo, hi] = range || whole(chart.data[0]);
    chart.setScale("x", {min: lo, max: hi});
  }
}

function noteZoom(u) {
  const [lo, hi] = whole(u.data[0]), x = u.scales.x;
  const zoomed = x.min > lo + 1e-9 * (hi - lo) || x.max < hi - 1e-9 * (hi - lo);
  const button = document.getElementById("reset");
  if (button) button.hidden = !zoomed;
}

function followFingers(u) {
  const fingers = new Map();
  let begin = null;
  const at = event => event.clientX - u.over.getBoundingClientRect().left;
  const middle = () => [...fingers.values()].reduce((a, b) => a + b, 0) / fingers.size;
  const gap = () => Math.max(20, Math.abs([...fingers.values()][0] - [...fingers.values()][1]));
  u.over.addEventListener("pointerdown", event => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 2) begin = {gap: gap(), value: u.posToVal(middle(), "x"), min: u.scales.x.min, max: u.scales.x.max};
  });
  u.over.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    fingers.set(event.pointerId, at(event));
    if (fingers.size === 1) u.setCursor({left: at(event), top: 10}, true, true);
    if (fingers.size !== 2 || !begin) return;
    const [least, most] = whole(u.data[0]);
    const span = Math.min(most - least, ((begin.max - begin.min) * begin.gap) / gap());
    const lo = Math.min(Math.max(least, begin.value - (span * middle()) / u.over.clientWidth), most - span);
    zoomTo([lo, lo + span]);
  });
  for (const end of ["pointerup", "pointercancel", "pointerleave"])
    u.over.addEventListener(end, event => { fingers.delete(event.pointerId); if (fingers.size < 2) begin = null; });
}

/* Without a cursor the legend has the values at the end. */
function restLegend(u) {
  const index = u.cursor.idx === null || u.cursor.idx === undefined ? u.data[0].length - 1 : u.cursor.idx;
  if (u.cursor.left < 0 || u.cursor.idx === null) u.setLegend({idx: index}, false);
}

function lineOf(line, index, chart) {
  const name = line.colour || "c" + (index % 7);
  const few = chart.times.length <= 40;
  const unit = line.unit !== undefined ? line.unit : chart.unit;
  return {
    label: line.label,
    stroke: () => colour(name),
    fill: chart.stacked ? () => colour(name) + "a8" : undefined,
    width: chart.stacked ? 0.75 : line.dash ? 1.25 : 1.6,
    dash: line.dash ? [5, 4] : undefined,
    points: {show: few && !line.dash, size: 5, fill: () => colour(name)},
    value: (u, value, series, at) => show(line.shown ? line.shown[at] : value, line.digits || 4) + (unit ? " " + unit : ""),
  };
}

/* chart: {title, unit, note, times, lines: [{label, values, ...}], log, stacked, counts} */
function drawChart(host, chart) {
  const shape = {width: host.clientWidth, height: host.clientWidth < 480 ? 210 : 240};
  const axis = {stroke: () => colour("soft"), grid: {stroke: () => colour("line"), width: 1}, ticks: {show: false},
    font: "11px system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif"};
  let data = chart.lines.map(line => line.values), bands;
  if (chart.stacked) {
    /* each line is the sum of those below it; drawn from the top one down */
    let sum = chart.times.map(() => 0);
    data = data.map(values => (sum = sum.map((s, i) => s + (values[i] || 0))));
    bands = data.slice(1).map((values, i) => ({series: [i + 2, i + 1]}));
  }
  const u = new uPlot({
    ...shape, bands,
    cursor: {sync: {key: "time", setSeries: false}, y: false, points: {size: 6}, drag: {x: true, y: false, dist: 5}},
    scales: {x: {time: false, range: (self, lo, hi) => (lo === null || lo === hi || lo <= chart.times[0] ? whole(chart.times) : [lo, hi])},
      y: {distr: chart.log ? 3 : 1, range: chart.log ? decades : chart.stacked ? (self, lo, hi) => [0, (hi || 1) * 1.06] : padded}},
    axes: [{...axis, values: (self, ticks) => tickText(ticks, " s"), space: 54, size: 30},
      {...axis, values: (self, ticks) => (chart.log ? powerText(ticks) : tickText(ticks, "")), size: axisSize, space: 34,
        ...(chart.counts ? {incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 1e7, 1e8]} : {}),
        ...(chart.log ? {splits: powers, filter: (self, ticks) => ticks} : {})}],
    series: [{label: "time", value: (self, value) => show(value, 5) + " s"}, ...chart.lines.map((line, i) => lineOf(line, i, chart))],
    hooks: {setScale: [(self, key) => key === "x" && noteZoom(self)], setCursor: [restLegend], ready: [followFingers]},
  }, [chart.times, ...data], host);
  u.setLegend({idx: chart.times.length - 1}, false);
  charts.push(u);
  new ResizeObserver(() => {
    const width = host.clientWidth;
    if (width > 0 && width !== u.width) u.setSize({width, height: width < 480 ? 210 : 240});
  }).observe(host);
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(u => u.redraw(false, true)));
