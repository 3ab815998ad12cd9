/* Tables and lists that change in place, so that neither focus nor selection nor a screen reader loses its place. */

import {plain} from "./text.js";

export const byId = id => document.getElementById(id);

export const setText = (element, text) => {
  const shown = plain(text);
  if (element.textContent !== shown) {
    element.textContent = shown;
  }
};

export const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) {
    element.className = className;
  }
  if (text !== undefined) {
    setText(element, text);
  }
  return element;
};

const setClass = (element, className) => {
  if (element.className !== className) {
    element.className = className;
  }
};

const points = window.matchMedia("(hover: hover)");

/* Rows keep their order while somebody points at one or has the focus in one: no other row comes under a press. */
const isHeld = parent => parent.contains(document.activeElement) || points.matches && parent.matches(":hover");

const kept = new WeakMap();

/* Gives an element one child for each item: the same one as before for an item of the same key. */
export const keep = (parent, items, keyOf, create, update) => {
  const before = kept.get(parent) || new Map();
  const after = new Map();
  items.forEach((item, number) => {
    let key = String(keyOf(item, number));
    while (after.has(key)) {
      key += "+";
    }
    const child = before.get(key) || create(item);
    update(child, item);
    after.set(key, child);
  });
  before.forEach((child, key) => {
    if (!after.has(key)) {
      remove(child);
    }
  });
  arrange(parent, after);
  kept.set(parent, after);
};

const remove = child => {
  const hadFocus = child.contains(document.activeElement);
  const heading = hadFocus ? child.closest("section").querySelector("h2") : null;
  child.remove();
  if (heading !== null) {
    heading.tabIndex = -1;
    heading.focus({preventScroll: true});
  }
};

const arrange = (parent, children) => {
  if (isHeld(parent)) {
    children.forEach(child => child.parentNode === parent || parent.append(child));
    return;
  }
  let place = parent.firstElementChild;
  children.forEach(child => {
    if (child === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(child, place);
    }
  });
};

const rows = new WeakMap();

/*
 * A table in a place of the page. A column is {name, text, kind, action}: text of a row; kind number, short or long; action instead of
 * text is of a row {label, name, run}, or null if there is none. The first column names its row.
 *
 * Returns the function that shows rows.
 */
export const table = (place, caption, none, columns, options) => {
  const {keyOf, isTrouble} = Object.assign({keyOf: (row, number) => number, isTrouble: () => false}, options);
  const part = make("div", "part");
  const empty = make("p", "none");
  empty.append(make("span", "", caption), ": " + none);
  const scroll = make("div", "scroll");
  const element = make("table");
  element.append(make("caption", "", caption));
  const head = make("tr");
  columns.forEach(column => {
    const cell = make("th", column.kind, column.name);
    cell.scope = "col";
    head.append(cell);
  });
  const top = make("thead");
  top.append(head);
  const body = make("tbody");
  element.append(top, body);
  scroll.append(element);
  scroll.hidden = true;
  part.append(empty, scroll);
  byId(place).append(part);
  scrollable(scroll, caption);
  return items => {
    empty.hidden = items.length > 0;
    scroll.hidden = items.length === 0;
    keep(body, items, keyOf, () => newRow(columns), (element, row) => fill(element, row, columns, isTrouble(row)));
  };
};

const newRow = columns => {
  const element = make("tr");
  columns.forEach((column, number) => {
    const cell = make(number === 0 ? "th" : "td", column.kind);
    if (number === 0) {
      cell.scope = "row";
    }
    if (column.action) {
      const button = make("button");
      button.type = "button";
      button.addEventListener("click", () => {
        const action = column.action(rows.get(element));
        if (action !== null) {
          action.run();
        }
      });
      cell.append(button);
    }
    element.append(cell);
  });
  return element;
};

const fill = (element, row, columns, isTrouble) => {
  rows.set(element, row);
  setClass(element, isTrouble ? "trouble" : "");
  columns.forEach((column, number) => {
    const cell = element.children[number];
    if (column.action) {
      const action = column.action(row);
      const button = cell.firstElementChild;
      button.hidden = action === null;
      if (action !== null) {
        setText(button, action.label);
        button.setAttribute("aria-label", plain(action.name));
      }
    } else {
      setText(cell, column.text(row));
      if (column.indent) {
        cell.style.paddingLeft = column.indent(row) * 1.2 + "rem";
      }
    }
  });
};

/* What can be scrolled sideways can be reached by keys, and has a name. */
const scrollable = (element, name) => {
  const look = () => {
    if (element.scrollWidth > element.clientWidth) {
      element.tabIndex = 0;
      element.setAttribute("role", "region");
      element.setAttribute("aria-label", name);
    } else if (document.activeElement !== element) {
      element.removeAttribute("tabindex");
      element.removeAttribute("role");
      element.removeAttribute("aria-label");
    }
  };
  const observer = new ResizeObserver(look);
  observer.observe(element);
  observer.observe(element.firstElementChild);
};

/* A list of facts in a dl: [[name, text], ...]; those without a text are left out. */
export const facts = (place, all) => {
  const known = all.filter(fact => fact[1] !== null && fact[1] !== undefined && fact[1] !== "");
  keep(byId(place), known, fact => fact[0], () => {
    const pair = make("div");
    pair.append(make("dt"), make("dd"));
    return pair;
  }, (pair, fact) => {
    setText(pair.children[0], fact[0]);
    setText(pair.children[1], fact[1]);
  });
};

/* Tiles in a dl: {name, text, more, weight}. */
export const tiles = (place, all) => {
  keep(byId(place), all, tile => tile.name, () => {
    const element = make("div");
    element.append(make("dt"), make("dd"), make("dd", "more"));
    return element;
  }, (element, tile) => {
    setClass(element, tile.weight || "");
    setText(element.children[0], tile.name);
    setText(element.children[1], tile.text);
    setText(element.children[2], tile.more || "");
  });
};

/* Words in a ul. */
export const words = (place, all) => {
  keep(byId(place), all, word => word, () => make("li"), (element, word) => setText(element, word));
};
