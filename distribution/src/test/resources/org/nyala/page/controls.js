/* Numbers what can be used, and returns the numbers. */
const controls = [...document.querySelectorAll("button, a, input, select, summary")].filter(each => each.checkVisibility() && !each.disabled);
controls.forEach((each, number) => {
  each.dataset.number = String(number);
});
return controls.map(each => each.dataset.number);
