/* Shows the results of the load tester, which are in the page as JSON. Texts become text nodes, never markup. */
(() => {
"use strict";

const results = JSON.parse(document.getElementById("results").textContent);

/* Numbers as people read them. */

const isNumber = value => typeof value === "number" && isFinite(value);
const trimmed = value => String(Number(value.toFixed(4)));
const grouped = value => isNumber(value) ? value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",") : "-";
const fixed = digits => value => isNumber(value) ? value.toFixed(digits) : "-";
const count = value => value >= 1e6 ? trimmed(value / 1e6) + "M" : value >= 1000 ? grouped(value) : trimmed(value);
const micros = value => value >= 1e6 ? trimmed(value / 1e6) + " s" : value >= 1e3 ? trimmed(value / 1e3) + " ms" : trimmed(value) + " µs";
const latency = value => isNumber(value) ? micros(Number(value.toPrecision(3))) : "-";
const figure = value => !isNumber(value) ? "-" : Math.abs(value) >= 100 ? grouped(value) : value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
const share = percent => percent > 0 && percent < 0.001 ? "<0.001 %" : percent.toFixed(percent >= 10 ? 0 : percent >= 1 ? 1 : 3) + " %";

const median = values => {
  const sorted = values.filter(isNumber).sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length === 0 ? NaN : sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const greatestOf = numbers => numbers.reduce((one, other) => Math.max(one, other));

/* Parts of the page. */

const add = (to, name, text) => {
  const element = document.createElement(name);
  if (text !== undefined) {
    element.textContent = text;
  }
  to.appendChild(element);
  return element;
};
const paragraph = text => add(document.body, "p", text);
const heading = (name, text) => add(document.body, name, text);
const box = (kind) => {
  const element = add(document.body, "div");
  element.className = kind;
  return element;
};
const title = text => {
  document.title = text;
  heading("h1", text);
};
const rowOf = (to, name, texts) => {
  const row = add(to, "tr");
  return texts.map(text => add(row, name, text));
};
const table = (header, rows) => {
  const element = add(box("scroll"), "table");
  rowOf(add(element, "thead"), "th", header);
  const body = add(element, "tbody");
  /* A narrow page shows the names of columns beside the values. */
  rows.forEach(row => rowOf(body, "td", row).forEach((cell, number) => cell.setAttribute("data-name", header[number])));
};
const facts = () => {
  heading("h2", "Circumstances");
  const body = add(add(box("scroll facts"), "table"), "tbody");
  Object.entries(results.facts).forEach(fact => rowOf(body, "td", fact));
};

/* Charts. */

/* As wide as the page of a small screen, but no wider than is good to read. */
const WIDTH = Math.min(540, Math.max(280, document.documentElement.clientWidth - 34 || 540));
const isNarrow = WIDTH < 480;
const MARKED_POINTS = 40;
const STYLES = 6;
const DASHES = [[], [6, 3], [2, 2]];
const plots = [];
const colorOf = name => () => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const styleOf = number => colorOf("s" + number % STYLES);
const axis = options => Object.assign({
  stroke: colorOf("text"), font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
  grid: {stroke: colorOf("line"), width: 1}, ticks: {stroke: colorOf("line"), width: 1}}, options);
const textsOf = text => (_, values) => values.map(value => value === null || value === undefined ? "" : text(value));
const valueOf = text => (_, value) => value === null || value === undefined ? "–" : text(value);
const fromZero = (_, least, greatest) => [0, greatest > 0 ? greatest * 1.05 : 1];
const plot = (to, options, data) => {
  const element = add(to, "div");
  element.setAttribute("role", "img");
  element.setAttribute("aria-label", options.title);
  plots.push(new uPlot(Object.assign({width: WIDTH, height: 290}, options), data, element));
};

/* Percentiles by nines: as much room from 90 to 99 as from 99 to 99.9. */
const PERCENTILES = [50, 90, 99, 99.9, 99.99, 99.999];
const byNines = percentile => -Math.log10(1 - percentile / 100);
const percentile = place => trimmed(100 * (1 - Math.pow(10, -place))) + " %";

const NUMBERS = {text: count};
const MAGNITUDES = {text: count, isLogarithmic: true};
const TIMES = {text: micros, isLogarithmic: true};
const ROUNDS = {text: count, incrs: [1, 2, 5, 10, 20, 50, 100]};
const NINES = {text: percentile, splits: (_, __, least, greatest) => PERCENTILES.map(byNines).filter(place => place <= greatest)};

/* Vertical lines at moments, which are named beside the chart: [x, ...]. */
const drawMarks = marks => chart => {
  const pen = chart.ctx;
  pen.save();
  pen.strokeStyle = colorOf("s4")();
  pen.lineWidth = 1;
  pen.setLineDash([4, 4]);
  marks.forEach(mark => {
    const place = Math.round(chart.valToPos(mark, "x", true));
    pen.beginPath();
    pen.moveTo(place, chart.bbox.top);
    pen.lineTo(place, chart.bbox.top + chart.bbox.height);
    pen.stroke();
  });
  pen.restore();
};

/* Lines over a common axis; a line is {name, points: [[x, y], ...]}, a bound is {name, y}, marks are places of the axis. */
const lines = (to, name, xTitle, x, y, all, bound, marks) => {
  const isShown = point => isNumber(point[0]) && isNumber(point[1]) && (!y.isLogarithmic || point[1] > 0);
  const shown = all.map(line => ({name: line.name, points: line.points.filter(isShown)})).filter(line => line.points.length > 0);
  if (shown.length === 0) {
    return;
  }
  const marked = greatestOf(shown.map(line => line.points.length)) <= MARKED_POINTS;
  const series = shown.map((line, number) => ({
    label: line.name, stroke: styleOf(number), width: 1.8, dash: DASHES[number % DASHES.length], spanGaps: true,
    points: {show: marked, size: 5, fill: styleOf(number)}, value: valueOf(y.text)}));
  const columns = shown.map(line => [line.points.map(point => point[0]), line.points.map(point => point[1])]);
  if (bound) {
    const places = columns.flatMap(column => column[0]);
    columns.push([[-greatestOf(places.map(place => -place)), greatestOf(places)], [bound.y, bound.y]]);
    series.push({label: bound.name, stroke: colorOf("s4"), dash: [4, 4], spanGaps: true, points: {show: false}, value: valueOf(y.text)});
  }
  plot(to, {
    title: name,
    padding: [null, 28, null, null],
    hooks: marks ? {draw: [drawMarks(marks)]} : {},
    scales: {x: {time: false, range: (_, least, greatest) => [0, greatest || 1]}, y: y.isLogarithmic ? {distr: 3} : {range: fromZero}},
    axes: [
      axis(Object.assign({label: xTitle, values: textsOf(x.text)}, x.splits ? {splits: x.splits} : {}, x.incrs ? {incrs: x.incrs} : {})),
      axis({values: textsOf(y.text), size: 70})],
    series: [{label: xTitle, value: valueOf(x.text)}].concat(series)
  }, columns.length === 1 ? columns[0] : uPlot.join(columns));
};

/* Horizontal bars from zero; a bar is [label, value, text]. */
const LABEL_PIXELS = 7;
const LABEL_CHARS = Math.min(60, Math.floor(0.45 * WIDTH / LABEL_PIXELS));

/* The label of a bar: the middle of a long one is left out, since names of servers differ at their end. */
const labelOf = text => text.length <= LABEL_CHARS ? text : text.slice(0, 12) + "…" + text.slice(13 - LABEL_CHARS);
const textSize = (texts, least) => texts.reduce((most, text) => Math.max(most, LABEL_PIXELS * text.length + 14), least);

const bars = (to, name, all) => {
  const shown = all.filter(bar => isNumber(bar[1]));
  if (shown.length === 0) {
    return;
  }
  const places = shown.map((_, place) => place);
  const labels = shown.map(bar => labelOf(bar[0]));
  const names = texts => ({scale: "x", splits: () => places, values: () => texts, grid: {show: false}, ticks: {show: false}});
  plot(to, {
    title: name,
    height: 44 + 24 * shown.length,
    legend: {show: false},
    cursor: {show: false},
    scales: {x: {time: false, ori: 1, dir: -1, range: [-0.5, shown.length - 0.5]}, y: {ori: 0, range: fromZero}},
    axes: [
      axis(Object.assign(names(labels), {side: 3, size: textSize(labels, isNarrow ? 80 : 190)})),
      axis({scale: "y", side: 2, show: false}),
      axis(Object.assign(names(shown.map(bar => bar[2])), {side: 1, size: textSize(shown.map(bar => bar[2]), 60)}))],
    series: [{}, {fill: styleOf(0), stroke: styleOf(0), width: 0, points: {show: false}, paths: uPlot.paths.bars({size: [0.65, 16]})}]
  }, [places, shown.map(bar => bar[1])]);
};

/*
 * Groups of bars with a line over each kind of bar: one figure on the left axis, the other one on the right axis. Each kind
 * has a place of its own in a group for its bar, and all lines go through the middle of the group.
 */
const BARS_SHARE = 0.72;
const barsAndLines = (to, name, groups, kinds, titles, figureOf) => {
  const width = BARS_SHARE / kinds.length;
  const placeOf = (group, kind) => group + (kind + 0.5) * width - BARS_SHARE / 2;
  const finite = value => isNumber(value) ? value : null;
  const columns = [];
  const series = [];
  kinds.forEach((kind, number) => {
    columns.push([groups.map((_, group) => placeOf(group, number)), groups.map(group => finite(figureOf(group, kind, 0)))]);
    series.push({
      label: kind + ", " + titles.bars, scale: "y", stroke: styleOf(number), fill: () => styleOf(number)() + "80", width: 0,
      points: {show: false}, paths: uPlot.paths.bars({size: [width * 0.95, 80]}), value: valueOf(count)});
  });
  kinds.forEach((kind, number) => {
    columns.push([groups.map((_, group) => group), groups.map(group => finite(figureOf(group, kind, 1)))]);
    series.push({
      label: kind + ", " + titles.lines, scale: "lines", stroke: styleOf(number), width: 2, spanGaps: true,
      points: {show: true, size: 8, fill: colorOf("page")}, value: valueOf(count)});
  });
  plot(to, {
    title: name,
    height: 340,
    legend: {live: false},
    scales: {x: {time: false, range: [-0.5, groups.length - 0.5]}, y: {range: fromZero}, lines: {range: fromZero}},
    axes: [
      axis({label: titles.groups, splits: () => groups.map((_, group) => group), values: () => groups.map(grouped), grid: {show: false}}),
      axis({scale: "y", label: "bars: " + titles.bars, values: textsOf(count), size: 70}),
      axis({scale: "lines", side: 1, label: "lines: " + titles.lines, values: textsOf(count), size: 70, grid: {show: false}})],
    series: [{label: titles.groups}].concat(series)
  }, uPlot.join(columns));
};

/* One test. */

const PERCENTILE_KEYS = [["p50", "p50"], ["p75", "p75"], ["p90", "p90"], ["p95", "p95"], ["p99", "p99"], ["p999", "p99.9"], ["p9999", "p99.99"]];
const latencyRow = (name, times) => [name, latency(times.mean)].concat(PERCENTILE_KEYS.map(key => latency(times[key[0]])), latency(times.max));
const latencyHeader = first => [first, "mean"].concat(PERCENTILE_KEYS.map(key => key[1]), "max");
const isScheduled = job => job.wantedRate !== null || job.leftOutOfLog !== undefined;
const paceOf = job => job.leftOutOfLog ? "at the times of the log"
  : job.wantedRate !== null ? "open loop at " + count(job.wantedRate) + "/s"
  : job.depth === 1 ? "closed loop" : "closed loop, " + job.depth + " deep";
const pairs = (job, figure) => job.overTime.seconds.map((second, number) => [second, job.overTime[figure][number]]);
const below = row => row.belowMicros === null ? "longer" : "below " + micros(row.belowMicros);

const OPEN = "Operations begin on a schedule that does not wait for answers. From the intended start: the time that a user waits"
  + " who comes at any moment, the queue of a slow server included. From the actual send: the time that a tester measures that"
  + " sends only after its last answer; shown for comparison.";
const CLOSED = "A closed loop: each client sends its next request after its last answer. While the server stalls no request is"
  + " sent, so that a stall counts once for each client, however long it is. --rate measures the time that users wait who come"
  + " at any moment.";

const summary = jobs => table(
  ["job", "clients", "pace", "seconds", "done", "per second", "failed", "connections lost"],
  jobs.map(job => [job.job, count(job.connections), paceOf(job), trimmed(Number(job.seconds.toFixed(1))), grouped(job.units) + " " + job.unit,
    grouped(job.rate), grouped(job.failedOperations), grouped(job.lostConnections)]));

const kindsOf = job => {
  heading("h3", "By kind");
  table(["kind", "done", "per second"].concat(latencyHeader("failed")), job.kinds.map(kind =>
    [kind.job, grouped(kind.units) + (kind.unit === "entries" ? " entries" : ""), grouped(kind.rate)].concat(
      latencyRow(kind.errorCount === 0 ? "0" : kind.errorsInWords, kind.latencyMicros.corrected))));
};

const wholeUnits = job => {
  const total = Math.max(1, job.wholeUnits.rows.reduce((sum, row) => sum + row[1], 0));
  heading("h3", "Whole " + job.wholeUnits.unit);
  table([job.wholeUnits.unit, "occurrences", "% of total"], job.wholeUnits.rows.map(row => [grouped(row[0]), grouped(row[1]), fixed(0)(100 * row[1] / total)]));
  paragraph("Timed out: " + grouped(job.timeOuts) + ".");
};

const oneJob = job => {
  const scheduled = isScheduled(job);
  heading("h2", "Latency: " + job.job);
  paragraph(scheduled ? OPEN : CLOSED);
  table(latencyHeader(""), scheduled
    ? [latencyRow("from the intended start (corrected)", job.latencyMicros.corrected),
      latencyRow("from the actual send (uncorrected)", job.latencyMicros.uncorrected)]
    : [latencyRow("from the send", job.latencyMicros.corrected)]);
  if (job.kinds) {
    kindsOf(job);
  }
  const leftOut = Object.entries(job.leftOutOfLog || {}).map(kind => grouped(kind[1]) + " " + kind[0]).sort();
  if (leftOut.length > 0) {
    paragraph("Left out, because the log does not contain enough of it: " + leftOut.join(", ") + ".");
  }
  const charts = box("charts");
  const curve = kind => job.percentileCurves[kind].map(point => [byNines(point[0]), point[1]]);
  lines(charts, "latency by percentile", "part of the operations", NINES, TIMES, scheduled
    ? [{name: "intended start (corrected)", points: curve("corrected")}, {name: "actual send (uncorrected)", points: curve("uncorrected")}]
    : [{name: "send", points: curve("corrected")}]);
  lines(charts, "latency over time" + (scheduled ? ", corrected" : ""), "seconds", NUMBERS, TIMES,
    [["max", "maxMicros"], ["p99", "p99Micros"], ["p50", "p50Micros"]].map(line => ({name: line[0], points: pairs(job, line[1])})));
  const total = job.histogram.reduce((sum, row) => sum + row.count, 0);
  bars(charts, "operations that took", job.histogram.map(row => [below(row), row.count, grouped(row.count) + " (" + share(100 * row.count / Math.max(1, total)) + ")"]));
  if (job.wholeUnits) {
    wholeUnits(job);
  }
};

/* The number of disturbed spans that are shown. */
const SPANS = 20;

const processes = job => {
  const row = (name, each, use) => [name, isNumber(each) ? each.toFixed(2) + " µs" : "-", fixed(2)(use.cpuSeconds === null ? NaN : use.cpuSeconds / job.seconds),
    isNumber(use.rssBytes) ? grouped(Math.floor(use.rssBytes / 1048576)) : "-", grouped(use.voluntarySwitches), grouped(use.involuntarySwitches)];
  table(["process", "CPU for each", "CPU, cores", "resident, MiB", "switches to wait", "forced switches"],
    (job.server.cpuSeconds === null ? [] : [row("server", job.serverCpuMicros, job.server)]).concat([
      row("load tester", job.clientCpuMicros, job.client),
      ["load tester's collector", job.clientGcPauses + " pauses", grouped(job.clientGcMillis) + " ms in all", "", "", ""]]));
  const own = job.disturbance;
  paragraph("The load tester itself began operations up to " + fixed(1)(own.lagMillis) + " ms late, read answers up to " + fixed(1)(own.stallMillis)
    + " ms late, lost up to " + fixed(1)(own.stolenPercent) + " % of the processors to the host; too much in " + own.disturbedIntervals
    + " of " + own.intervals + " intervals.");
  const spans = job.disturbances || [];
  if (spans.length > 0) {
    const list = add(document.body, "ul");
    spans.slice(0, SPANS).forEach(span => add(list, "li", span.text + "."));
    if (spans.length > SPANS) {
      paragraph("And " + (spans.length - SPANS) + " more: see disturbances in results.json.");
    }
  }
};

/* What the server says of itself: the greatest counters beside the rate of the load tester, and all figures in a table. */
const COUNTERS_SHOWN = 5;

const serverMetrics = jobs => {
  if (!results.serverMetrics) {
    return;
  }
  heading("h2", "The server's own figures");
  results.serverMetrics.forEach(source => {
    heading("h3", source.source);
    paragraph((source.samples === 0 ? "There are none." : "Read " + grouped(source.samples) + " times, in " + fixed(1)(source.meanMillis)
      + " ms on average. These requests are not among the operations; the server's processor time has them.")
      + (source.failure ? " Once " + source.failure + "." : ""));
    const pointsOf = figure => figure.seconds.map((second, number) => [second, figure.values[number]]);
    const counters = source.figures.filter(each => each.perSecond).slice(0, COUNTERS_SHOWN);
    if (counters.length > 0) {
      lines(box("charts"), "in a second", "seconds", NUMBERS, MAGNITUDES,
        jobs.map(job => ({name: "load tester: " + job.job, points: pairs(job, "rate")})).concat(
          counters.map(each => ({name: each.name, points: pointsOf(each)}))));
    }
    if (source.figures.length > 0) {
      table(["figure", "", "mean", "least", "most"], source.figures.map(each =>
        [each.name, each.perSecond ? "per second" : "", figure(each.mean), figure(each.min), figure(each.max)]));
    }
  });
};

const jobsAtOnce = jobs => {
  jobs.forEach(job => paragraph(job.verdict).className = "verdict");
  summary(jobs);
  const charts = box("charts");
  lines(charts, "throughput, " + jobs[0].unit + "/s", "seconds", NUMBERS, NUMBERS, jobs.map(job => ({name: job.job, points: pairs(job, "rate")})));
  lines(charts, "processors in use", "seconds", NUMBERS, NUMBERS,
    [{name: "server", points: pairs(jobs[0], "serverCores")}, {name: "load tester", points: pairs(jobs[0], "clientCores")}]);
  jobs.forEach(oneJob);
  heading("h2", "Processes and errors");
  processes(jobs[0]);
  const failed = jobs.filter(job => job.errorCount > 0);
  paragraph(failed.length === 0 ? "There were no errors." : "Errors, by kind:");
  if (failed.length > 0) {
    table(["job", "errors"], failed.map(job => [job.job, job.errorsInWords]));
  }
  failed.filter(job => job.wrongExample).forEach(job => paragraph("A wrong answer to " + job.job + ": " + job.wrongExample + "."));
};

const load = () => {
  title(results.jobs.map(job => job.job).join(" + ") + ", " + results.url);
  jobsAtOnce(results.jobs);
  serverMetrics(results.jobs);
};

/* Phases one after the other, with jobs at once in each. */

const plan = () => {
  title("A plan, " + results.url);
  table(["phase", "job", "pace", "done per second", "p50", "p99", "failed"], results.phases.flatMap(phase => phase.jobs.map(job => [
    phase.name, job.job, paceOf(job), grouped(job.rate), latency(job.latencyMicros.corrected.p50), latency(job.latencyMicros.corrected.p99),
    grouped(job.errorCount)])));
  results.phases.forEach(phase => {
    heading("h2", phase.name);
    jobsAtOnce(phase.jobs);
  });
};

/* The search for the highest rate. */

const knee = () => {
  const found = results.knee;
  const bound = "p99 from the intended start at most " + micros(found.boundP99Micros) + ", errors at most " + trimmed(found.boundErrorPercent) + " %";
  title("The knee: " + results.job + ", " + results.url);
  paragraph(results.verdict ? results.verdict[0].toUpperCase() + results.verdict.slice(1)
    : found.rate === 0 ? "No rate was held: " + bound + "."
    : "Highest rate held: " + count(found.rate) + " operations/s" + (found.higherNotTried ? ", the highest allowed" : "") + " (" + bound + ").").className = "verdict";
  if (found.cut) {
    paragraph("The search ended because its time was over, before it was sure of the rate.");
  }
  paragraph("Operations begin on a schedule that does not wait for answers; the clients of a server that cannot follow wait ever longer. A rate"
    + " that fails is tried twice; the highest one held must be held once more for longer, or a lower one is looked for.");
  // The last try at each rate decided.
  const last = new Map(found.steps.map(step => [step.wantedRate, step]));
  const steps = Array.from(last.values()).sort((one, other) => one.wantedRate - other.wantedRate);
  const curve = key => steps.map(step => [step.wantedRate, step[key]]);
  const charts = box("charts");
  lines(charts, "latency from the intended start", "wanted operations/s", NUMBERS, TIMES,
    [{name: "p99", points: curve("p99Micros")}, {name: "p50", points: curve("p50Micros")}], {name: "bound of p99", y: found.boundP99Micros});
  lines(charts, "operations/s done", "wanted operations/s", NUMBERS, NUMBERS,
    [{name: "done", points: curve("rate")}, {name: "wanted", points: curve("wantedRate")}]);
  heading("h2", "Every try");
  table(["wanted/s", "seconds", "done/s", "p50", "p99", "errors, %", "held", "passed"], found.steps.map(step => [
    count(step.wantedRate), trimmed(step.long ? results.secondsOfALongStep : results.secondsOfAStep), grouped(step.rate), latency(step.p50Micros),
    latency(step.p99Micros), trimmed(step.errorPercent), step.held ? "yes" : "no", (step.passed + (step.disturbed ? " (disturbed)" : "")).trim()]));
};

/* Servers, or strategies, side by side. */

const UNITS = {count: grouped, micros: latency, cost: latency, ratio: value => isNumber(value) ? trimmed(Number(value.toFixed(3))) : "-"};
const ratioOf = ratio => ratio && isNumber(ratio.ofMedians)
  ? ratio.ofMedians.toFixed(2) + " (" + ratio.low95.toFixed(2) + " – " + ratio.high95.toFixed(2) + ")" : "-";

const sideBySide = () => {
  const shown = results.sideBySide;
  const known = shown.figures.filter(figure => shown.cells.some(cell => cell.subjects.some(subject => isNumber(subject.figures[figure.key]))));
  const hasRatio = figure => shown.cells.some(cell => cell.subjects.some(subject => subject.ratios && subject.ratios[figure.key]));
  const header = known.flatMap(figure => hasRatio(figure) ? [figure.title, "to " + shown.baseline] : [figure.title]);
  const figuresOf = subject => known.flatMap(figure => {
    const text = UNITS[figure.unit](subject.figures[figure.key]);
    return hasRatio(figure) ? [text, ratioOf(subject.ratios && subject.ratios[figure.key])] : [text];
  });
  const isSmall = shown.cells.every(cell => cell.subjects.length <= 2);
  if (isSmall) {
    table(["measured", shown.subject].concat(header),
      shown.cells.flatMap(cell => cell.subjects.map((subject, number) => [number === 0 ? cell.name : "", subject.name].concat(figuresOf(subject)))));
  }
  shown.cells.forEach(cell => {
    heading("h2", cell.name);
    const charts = box("charts");
    known.filter(figure => figure.drawn).forEach(figure => bars(charts, figure.title,
      cell.subjects.map(subject => [subject.name, subject.figures[figure.key], UNITS[figure.unit](subject.figures[figure.key])])));
    if (!isSmall) {
      table([shown.subject].concat(header), cell.subjects.map(subject => [subject.name].concat(figuresOf(subject))));
    }
  });
};

const servers = () => {
  title(results.job + ", " + results.servers.length + " servers side by side");
  if (results.verdict) {
    paragraph(results.verdict).className = "verdict";
  }
  paragraph(results.servers[0].rounds.length + " rounds, the servers in an order that changes. Figures are medians of the rounds. A ratio is that of"
    + " the medians of a server and of the first one; in brackets is its interval of 95 % (a bootstrap over the rounds).");
  if (results.warning) {
    paragraph(results.warning);
  }
  sideBySide();
  const charts = box("charts");
  const nameOf = place => results.sideBySide.cells[0].subjects[place].name;
  const overRounds = (name, y, figureOf) => lines(charts, name + ", round by round", "round", ROUNDS, y,
    results.servers.map((server, place) => ({name: nameOf(place), points: server.rounds.map((round, number) => [number + 1, figureOf(round)])})));
  overRounds("per second", NUMBERS, round => round.rate);
  overRounds("p99", TIMES, round => round.latencyMicros.corrected.p99);
};

const comparison = () => {
  title("Nyala and slapd side by side");
  paragraph("The same people in both servers, measured in turn, round by round. Figures are medians of the rounds; of slapd's settings the fastest"
    + " counts for each job. A ratio is that of the medians; in brackets is its interval of 95 % (a bootstrap over the rounds). The loop is closed:"
    + " each client sends its next request after its last answer.");
  if (results.warning) {
    paragraph(results.warning);
  }
  sideBySide();
};

/* The strategies that answer a question together, in the way in which the experiment of 2005 was shown. */
const QUESTIONS = [
  ["The experiment of 2005: does it help to read no more than workers can take?", ["single-queue", "load-conditioned"]],
  ["The same with decoding by workers", ["lightweight", "lightweight-conditioned"]],
  ["The others", ["adaptive", "run-to-completion", "striped", "virtual-threads", "multi-queue"]]];

const experimentOf2005 = (settings, cells) => {
  const charts = box("charts");
  const groups = cells.map(cell => cell.connections);
  const figureOf = (connections, kind, number) => {
    const subject = cells.find(cell => cell.connections === connections).subjects.find(each => each.name === kind);
    return subject ? subject.figures[number === 0 ? "rate" : "pollsPerSecond"] : null;
  };
  QUESTIONS.forEach(question => {
    const kinds = question[1].filter(kind => cells.some(cell => cell.subjects.some(subject => subject.name === kind)));
    if (kinds.length > 0) {
      barsAndLines(charts, question[0], groups, kinds, {bars: "searches/s", lines: "polls/s", groups: "connections"}, figureOf);
    }
  });
};

const strategies = () => {
  title("Nyala: dispatch strategies side by side");
  paragraph("Medians of the rounds from which the host took least. Polls are how often event loops ask the kernel what is ready, in the whole server.");
  const cheap = results.sideBySide.cells.filter(cell => cell.connections).sort((one, other) => one.connections - other.connections);
  new Set(cheap.map(cell => cell.settings)).forEach(settings => {
    heading("h2", "Searches and polls by connections" + (settings ? ": " + settings : ""));
    experimentOf2005(settings, cheap.filter(cell => cell.settings === settings));
  });
  sideBySide();
};

/* Microbenchmarks, as JMH reports them. */

const rowOfBenchmark = result => {
  const names = result.benchmark.split(".");
  const method = names.pop();
  const type = names.pop();
  const suite = results.suites.find(each => each.benchmarks === type) || results.suites.find(each => each.benchmarks === "");
  const parameters = result.params || {};
  const others = Object.entries(parameters).filter(entry => entry[0] !== suite.compared && entry[1] !== "").sort();
  const secondary = name => result.secondaryMetrics[name] ? Number(result.secondaryMetrics[name].score) : NaN;
  return {
    suite: suite,
    label: parameters[suite.compared] || method,
    circumstances: [suite.compared === "" ? type : method].concat(others.map(entry => entry[0] + " " + (entry[1] === "0" ? "automatic" : entry[1]))).join(", "),
    score: Number(result.primaryMetric.score), error: Number(result.primaryMetric.scoreError), unit: result.primaryMetric.scoreUnit.replace("us/", "µs/"),
    bytes: secondary("gc.alloc.rate.norm"), p50: secondary("p50Micros"), p99: secondary("p99Micros"), p999: secondary("p999Micros")};
};
const greatest = (rows, figureOf) => rows.reduce((best, row) => figureOf(row) > figureOf(best) ? row : best);

const defaultBesideOthers = groups => {
  const rows = [];
  groups.forEach((group, circumstances) => {
    const own = group.find(row => row.label === results.defaultStrategy);
    const others = group.filter(row => row !== own && isNumber(row.p99));
    if (own && others.length > 0) {
      const best = greatest(others, row => row.score);
      const soonest = greatest(others, row => -row.p99);
      rows.push([circumstances, best.label, figure(best.score), figure(own.score / best.score), soonest.label, figure(soonest.p99), figure(own.p99 / soonest.p99)]);
    }
  });
  if (rows.length > 0) {
    const name = results.defaultStrategy;
    heading("h3", name + " beside the best of the others");
    table(["regime", "best of the others", "its ops/s", name + " / best", "least p99 of the others", "its p99, µs", name + " / least"], rows);
  }
};

const groupOfBenchmarks = (rows, circumstances) => {
  const first = rows[0];
  const name = first.suite.compared || "benchmark";
  heading("h3", circumstances);
  const charts = box("charts");
  bars(charts, first.unit, rows.map(row => [row.label, row.score, figure(row.score)]));
  if (!isNumber(first.p99)) {
    table([name, first.unit, "±", "bytes/op"], rows.map(row => [row.label, figure(row.score), figure(row.error), figure(row.bytes)]));
    return;
  }
  bars(charts, "p99, µs", rows.map(row => [row.label, row.p99, figure(row.p99)]));
  const best = greatest(rows, row => row.score).score;
  table([name, first.unit, "±", "of the best", "p50, µs", "p99, µs", "p99.9, µs", "bytes/op"], rows.map(row =>
    [row.label, figure(row.score), figure(row.error), figure(row.score / best), figure(row.p50), figure(row.p99), figure(row.p999), figure(row.bytes)]));
};

const benchmarks = () => {
  const rows = results.results.map(rowOfBenchmark);
  title("Nyala: benchmarks");
  results.suites.forEach(suite => {
    const groups = new Map();
    rows.filter(row => row.suite === suite).forEach(row => groups.set(row.circumstances, (groups.get(row.circumstances) || []).concat(row)));
    if (groups.size > 0) {
      heading("h2", suite.title);
      paragraph(suite.text);
      defaultBesideOthers(groups);
      groups.forEach(groupOfBenchmarks);
    }
  });
};

const MEBIBYTE = 1048576;

const scans = () => {
  title("Scans of whole directories");
  const servers = results.servers;
  const steps = servers[0].scans.map((step, number) => ["first", "second"][number] || step.atOnce + " at once");
  /* Of several steps with as many clients, the last one. */
  const pointsOf = (server, figureOf) =>
    Array.from(new Map(server.scans.slice(2).map(step => [step.atOnce, figureOf(step)]))).sort((one, other) => one[0] - other[0]);
  const charts = box("charts");
  const chart = (name, figureOf) =>
    lines(charts, name, "scans at once", ROUNDS, NUMBERS, servers.map(server => ({name: server.name, points: pointsOf(server, figureOf)})));
  const seconds = step => step.seconds;
  const resident = step => step.rssBytes < 0 ? null : step.rssBytes / MEBIBYTE;
  chart("Seconds of a scan, on average", seconds);
  chart("Resident size of the server, MiB", resident);
  const sizes = server => [server.dataBytes, server.liveHeapBytes].map(bytes => bytes < 0 ? "-" : figure(bytes / MEBIBYTE));
  heading("h2", "Seconds of a scan, on average");
  table(["server", "entries"].concat(steps), servers.map(server =>
    [server.name, grouped(server.scans[0].entries)].concat(server.scans.map(step => fixed(3)(seconds(step))))));
  heading("h2", "Sizes in MiB; that of the process is the resident one after each step");
  table(["server", "data", "live heap"].concat(steps), servers.map(server =>
    [server.name].concat(sizes(server), server.scans.map(step => figure(resident(step))))));
};

/* What servers lose: the page has the tables already, also without this script. */

const failover = () => {
  const charts = document.getElementById("charts");
  const marks = results.faults.map(fault => fault.seconds);
  /* The part of a second at the end would look like a fall. */
  const whole = Math.max(1, Math.floor(results.seconds));
  const bySecond = numbers => numbers.slice(0, whole).map((value, second) => [second, value]);
  const chart = (name, figure) => lines(charts, name, "seconds", NUMBERS, NUMBERS,
    results.servers.map((server, place) => ({name: String.fromCharCode(65 + place) + " " + server.url, points: bySecond(server[figure])})), null, marks);
  chart("acknowledged writes in a second", "writesBySecond");
  chart("answered reads in a second", "readsBySecond");
  chart("failed operations in a second", "failedBySecond");
  lines(charts, "longest time without an acknowledged write", "seconds", NUMBERS, TIMES,
    [{name: "all servers", points: bySecond(results.pauseMicrosBySecond)}], null, marks);
  if (marks.length > 0) {
    add(charts, "p", "The broken vertical lines are the faults.");
  }
};

const PAGES = {load, plan, knee, servers, comparison, strategies, benchmarks, scans, failover};
PAGES[results.kind]();
if (document.querySelector("main") === null) {
  facts();
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.forEach(each => each.redraw()));
})();
