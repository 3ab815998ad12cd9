/* The last hour in charts: points of the server's ring, drawn by uPlot. What a chart shows stands below it as text, too. */

import {byId, keep, make, setText} from "./parts.js";
import {clock, count, figure, isNumber, micros, perSecond, seconds} from "./text.js";

const HOUR_SECONDS = 3600;
const HEIGHT = 190;
const COLOURS = 6;
const DASHES = [[], [7, 4], [2, 3]];
const KINDS = ["search", "bind", "modify", "add", "delete", "compare", "modifyDn", "extended", "unbind", "abandon"];

/* A series is {name, key, text, scale, always}; one that is not always shown needs a value above zero in the hour. */
const CHARTS = [
  {title: "Operations a second by kind",
    series: KINDS.map(kind => ({name: kind, key: kind + "PerSecond", text: perSecond, always: kind === "search"}))},
  {title: "Duration of operations",
    series: [
      {name: "p50", key: "medianMicros", text: micros, always: true},
      {name: "p99", key: "percentile99Micros", text: micros, always: true}]},
  {title: "Open connections", series: [{name: "connections", key: "connections", text: count, always: true}]},
  {title: "Permits in use, and changes that wait",
    series: [
      {name: "operations with a permit or a place in a queue", key: "inFlight", text: count, always: true},
      {name: "changes that wait for the writer", key: "waitingChanges", text: count, always: true},
      {name: "refused as busy", key: "refusedPerSecond", text: perSecond}]},
  {title: "Waits, p99",
    series: [
      {name: "for a permit", key: "admissionPercentile99Micros", text: micros, always: true},
      {name: "for a thread", key: "queuePercentile99Micros", text: micros, always: true}]},
  {title: "Commits a second, and their size",
    series: [
      {name: "commits", key: "commitsPerSecond", text: perSecond, always: true},
      {name: "changes in each", key: "batchMean", text: figure, scale: "size", always: true}]},
  {title: "How far copies are behind", series: [{name: "lag", key: "lagSeconds", text: seconds}]}];

const hour = {times: [], series: {}};
const charts = [];

const colourOf = name => () => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const numbersOf = series => hour.series[series.key] || [];
const hasPositive = series => numbersOf(series).some(value => value > 0);
const shownOf = definition => definition.series.filter(series => series.always || hasPositive(series));
const fromZero = (_, least, greatest) => [0, greatest > 0 ? greatest * 1.08 : 1];
const lastOf = numbers => numbers.length === 0 ? null : numbers[numbers.length - 1];
const mostOf = numbers => numbers.reduce((most, value) => value !== null && (most === null || value > most) ? value : most, null);

const axis = options => Object.assign({
  stroke: colourOf("ink"), font: "11px system-ui, sans-serif", grid: {stroke: colourOf("line"), width: 1}, ticks: {stroke: colourOf("line"), width: 1}}, options);

/* The colour and the dashes of a series, the same ones whatever else is shown. */
const styleOf = (chart, series) => {
  const number = chart.definition.series.indexOf(series);
  return {colour: number % COLOURS, dash: (number + Math.floor(number / COLOURS)) % DASHES.length};
};

const minute = time => clock(new Date(time * 1000)).slice(0, 5);

const optionsOf = (chart, width) => {
  const shown = chart.shown;
  const second = shown.find(series => series.scale);
  const valuesBy = text => (_, splits) => splits.map(value => value === null ? "" : text(value));
  const axes = [axis({values: (_, splits) => splits.map(minute), space: 55, size: 32}), axis({values: valuesBy(shown[0].text), size: 68})];
  const scales = {
    x: {time: true, range: () => {
      const last = lastOf(hour.times) || Date.now() / 1000;
      return [last - HOUR_SECONDS, last];
    }},
    y: {range: fromZero}};
  if (second) {
    scales[second.scale] = {range: fromZero};
    axes.push(axis({scale: second.scale, side: 1, values: valuesBy(second.text), size: 50, grid: {show: false}}));
  }
  return {
    width, height: HEIGHT, scales, axes,
    legend: {show: false},
    padding: [10, second ? 0 : 14, 0, 0],
    cursor: {y: false, drag: {x: false, y: false}, points: {size: 6}},
    hooks: {setCursor: [plot => {
      chart.at = isNumber(plot.cursor.idx) && plot.cursor.left >= 0 ? plot.cursor.idx : null;
      legend(chart);
    }]},
    series: [{}].concat(shown.map(series => {
      const style = styleOf(chart, series);
      return {scale: series.scale || "y", stroke: colourOf("s" + style.colour), dash: DASHES[style.dash], width: 1.6, spanGaps: false, points: {show: false}};
    }))};
};

/* The text below a chart: the figures now and the greatest ones of the hour; or those at the pointer. */
const legend = chart => {
  const at = chart.at;
  setText(chart.when, at === null ? "" : " at " + clock(new Date(hour.times[at] * 1000)));
  keep(chart.legend, chart.shown, series => series.key, series => {
    const style = styleOf(chart, series);
    const item = make("li");
    const sample = make("span", "sample c" + style.colour + " d" + style.dash);
    sample.setAttribute("aria-hidden", "true");
    item.append(sample, make("span"));
    return item;
  }, (item, series) => {
    const numbers = numbersOf(series);
    const text = at !== null ? series.text(numbers[at]) : series.text(lastOf(numbers)) + " now, " + series.text(mostOf(numbers)) + " at most";
    setText(item.lastElementChild, series.name + " " + text);
  });
};

const newChart = definition => {
  const chart = {definition, shown: [], at: null, plot: null};
  chart.figure = make("figure");
  const caption = make("figcaption");
  chart.when = make("span", "small");
  caption.append(make("span", "", definition.title), chart.when);
  chart.canvas = make("div", "canvas");
  chart.canvas.setAttribute("aria-hidden", "true");
  chart.legend = make("ul", "legend");
  chart.figure.append(caption, chart.canvas, chart.legend);
  byId("charts").append(chart.figure);
  new ResizeObserver(() => {
    if (chart.plot !== null && chart.canvas.clientWidth > 0) {
      chart.plot.setSize({width: chart.canvas.clientWidth, height: HEIGHT});
    }
  }).observe(chart.canvas);
  return chart;
};

const draw = chart => {
  const shown = shownOf(chart.definition);
  chart.figure.hidden = shown.length === 0;
  if (shown.length === 0) {
    return;
  }
  const data = [hour.times].concat(shown.map(numbersOf));
  const isSame = chart.plot !== null && shown.length === chart.shown.length && shown.every((series, number) => series === chart.shown[number]);
  if (isSame) {
    chart.plot.setData(data);
  } else {
    chart.shown = shown;
    if (chart.plot !== null) {
      chart.plot.destroy();
    }
    chart.plot = new window.uPlot(optionsOf(chart, Math.max(chart.canvas.clientWidth, 200)), data, chart.canvas);
  }
  legend(chart);
};

const drawAll = () => {
  byId("hour-none").hidden = hour.times.length > 0;
  if (hour.times.length === 0) {
    return;
  }
  if (charts.length === 0) {
    CHARTS.forEach(definition => charts.push(newChart(definition)));
  }
  charts.forEach(draw);
};

/* Shows an hour as /page/history has it. */
export const load = history => {
  hour.times = history.times;
  hour.series = history.series;
  drawAll();
};

/* Adds the newest point of the ring, unless it is there. Returns whether points before it are missing. */
export const append = (point, intervalSeconds) => {
  const last = lastOf(hour.times);
  if (last !== null && point.time <= last) {
    return false;
  }
  if (last === null || point.time - last > 1.5 * intervalSeconds) {
    return true;
  }
  hour.times.push(point.time);
  Object.keys(hour.series).forEach(key => hour.series[key].push(isNumber(point[key]) ? point[key] : null));
  while (hour.times.length > 0 && hour.times[0] < point.time - HOUR_SECONDS) {
    hour.times.shift();
    Object.values(hour.series).forEach(numbers => numbers.shift());
  }
  drawAll();
  return false;
};

/* Draws in the colours that hold now. */
export const recolour = () => charts.forEach(chart => chart.plot !== null && chart.plot.redraw());
