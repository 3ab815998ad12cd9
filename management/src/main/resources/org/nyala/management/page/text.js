/* Numbers, times and foreign texts as people read them. */

export const UNKNOWN = "–";

export const isNumber = value => typeof value === "number" && Number.isFinite(value);

const whole = new Intl.NumberFormat("en", {maximumFractionDigits: 0});

export const count = value => isNumber(value) ? whole.format(value) : UNKNOWN;

/* Three digits, or all before the point. */
export const figure = value => {
  if (!isNumber(value)) {
    return UNKNOWN;
  }
  const size = Math.abs(value);
  return size === 0 ? "0" : size >= 99.95 ? whole.format(value) : value.toFixed(size >= 9.995 ? 1 : 2);
};

export const perSecond = value => isNumber(value) ? figure(value) + "/s" : UNKNOWN;

export const micros = value => {
  if (!isNumber(value)) {
    return UNKNOWN;
  }
  return value >= 1e6 ? figure(value / 1e6) + " s" : value >= 1e3 ? figure(value / 1e3) + " ms" : whole.format(value) + " µs";
};

export const millis = value => isNumber(value) ? micros(value * 1000) : UNKNOWN;

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export const bytes = value => {
  if (!isNumber(value) || value < 0) {
    return UNKNOWN;
  }
  let unit = 0;
  let size = value;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return (unit === 0 ? whole.format(size) : figure(size)) + " " + UNITS[unit];
};

/* A duration in its two largest units. */
export const seconds = value => {
  if (!isNumber(value) || value < 0) {
    return UNKNOWN;
  }
  const all = Math.floor(value);
  const days = Math.floor(all / 86400);
  const hours = Math.floor(all / 3600) % 24;
  const minutes = Math.floor(all / 60) % 60;
  const two = (large, unit, small, smallUnit) => large + " " + unit + (small > 0 ? " " + small + " " + smallUnit : "");
  return days > 0 ? two(days, "d", hours, "h") : hours > 0 ? two(hours, "h", minutes, "min")
    : minutes > 0 ? two(minutes, "min", all % 60, "s") : all + " s";
};

const twoDigits = number => String(number).padStart(2, "0");

export const clock = at => [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(":");

export const day = at => [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join("-");

/* The time of the reader's own clock; with the day unless it is that of the other moment. */
export const moment = (timeMillis, nowMillis) => {
  if (!isNumber(timeMillis) || timeMillis <= 0) {
    return UNKNOWN;
  }
  const at = new Date(timeMillis);
  return day(at) === day(new Date(nowMillis)) ? clock(at) : day(at) + " " + clock(at);
};

/* Characters that a reader does not see, and that may show others elsewhere: controls, directions, ends of lines. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/* A text of clients, the directory or another server, in one line. It may only become a text node. */
export const plain = text => text === null || text === undefined ? UNKNOWN : String(text).replace(HIDDEN, "\ufffd");

/* "1 entry", "2 entries". */
export const counted = (number, one, many) => count(number) + " " + (number === 1 ? one : many);

export const quoted = text => "\u201c" + plain(text) + "\u201d";
