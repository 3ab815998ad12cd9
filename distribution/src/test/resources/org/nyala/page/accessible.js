/* Returns what keeps people from reading or using the page, in words; nothing if all is well. */
const wrong = [];
const check = (holds, what, element) => {
  if (!holds) {
    wrong.push(what + (element ? ": " + element.outerHTML.slice(0, 160) : ""));
  }
};
const all = css => [...document.querySelectorAll(css)];
const seen = css => all(css).filter(each => each.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}));

check(document.documentElement.lang === "en", "the language is not given");
check(document.title !== "", "the page has no title");
check(all("main").length === 1 && all("h1").length === 1 && all("header").length === 1, "not one header, main and h1");

let level = 0;
seen("h1, h2, h3, h4, h5, h6").forEach(heading => {
  const own = Number(heading.tagName[1]);
  check(own <= level + 1, "a level of headings is left out", heading);
  check(heading.textContent.trim() !== "", "an empty heading", heading);
  level = own;
});

const ids = all("[id]").map(each => each.id);
check(new Set(ids).size === ids.length, "an id is given twice: " + ids.filter((id, number) => ids.indexOf(id) !== number));
["aria-labelledby", "aria-describedby", "for"].forEach(name => all("[" + name + "]").forEach(each =>
  each.getAttribute(name).split(" ").forEach(id => check(document.getElementById(id) !== null, name + " leads nowhere", each))));
all("a[href^='#']").forEach(each => check(document.getElementById(each.hash.slice(1)) !== null, "a link leads nowhere", each));
all("main > section, dialog").forEach(each => check(each.hasAttribute("aria-labelledby"), "a part has no name", each));

all("table").forEach(table => {
  check(table.caption !== null && table.caption.textContent.trim() !== "", "a table has no caption", table);
  [...table.tHead.rows[0].cells].forEach(cell => check(cell.tagName === "TH" && cell.scope === "col" && cell.textContent.trim() !== "", "a column has no name", cell));
  [...table.tBodies[0].rows].forEach(row => {
    check(row.cells[0].tagName === "TH" && row.cells[0].scope === "row", "a row has no name", row);
    check(row.cells.length === table.tHead.rows[0].cells.length, "a row has other columns", row);
  });
});
all("dl > div").forEach(each => check(each.children[0].tagName === "DT" && each.children[1].tagName === "DD", "a fact has no name", each));
all("[tabindex]").forEach(each => check(each.tabIndex <= 0, "the order of focus is not that of the page", each));
all("[aria-hidden='true']").forEach(each => check(each.querySelector("a, button, input, select, [tabindex]") === null, "a hidden part can have the focus", each));
seen(".scroll").forEach(each => check(each.scrollWidth <= each.clientWidth || each.tabIndex === 0 && each.getAttribute("aria-label"), "cannot be scrolled by keys", each));
check(all("[role='status'][aria-live='polite'], dialog [role='status']").length >= 4, "changes are not read out");

seen("button, select, input, summary").forEach(each => {
  const box = each.getBoundingClientRect();
  check(box.height >= 24 && box.width >= 24, "too small for a finger: " + box.width + " x " + box.height, each);
});

/* The contrast of each text with what is behind it, as WCAG 2 computes it. */
const partsOf = colour => colour.match(/[\d.]+/g).map(Number);
const light = colour => {
  const [red, green, blue] = partsOf(colour).slice(0, 3).map(part => part / 255).map(part => part <= 0.04045 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const isClear = colour => partsOf(colour).length === 4 && partsOf(colour)[3] === 0;
const behind = element => {
  for (let each = element; each !== null; each = each.parentElement) {
    const colour = getComputedStyle(each).backgroundColor;
    if (!isClear(colour)) {
      return colour;
    }
  }
  return "rgb(255, 255, 255)";
};
const contrast = (one, other) => {
  const [more, less] = [light(one), light(other)].sort((first, second) => second - first);
  return (more + 0.05) / (less + 0.05);
};
seen("body *").filter(each => [...each.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.textContent.trim() !== "")).forEach(each => {
  if (each.disabled || each.closest(".unseen, noscript, option")) {
    return;
  }
  const ratio = contrast(getComputedStyle(each).color, behind(each));
  check(ratio >= 4.5, "contrast of " + ratio.toFixed(2), each);
});
seen(".sample").forEach(each => check(contrast(getComputedStyle(each).borderTopColor, behind(each)) >= 3, "a line is hardly seen", each));
seen("input, select, button").forEach(each => check(each.disabled || contrast(getComputedStyle(each).borderTopColor, behind(each.parentElement)) >= 3, "an edge is hardly seen", each));

return wrong;
