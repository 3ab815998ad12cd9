/* Whether nothing makes the page wider than its window, and charts are as wide as their places. */
const root = document.documentElement;
const charts = [...document.querySelectorAll("#charts figure")].filter(each => each.checkVisibility());
return root.scrollWidth <= root.clientWidth
  && charts.every(each => {
    const drawn = each.querySelector(".uplot").getBoundingClientRect();
    const place = each.getBoundingClientRect();
    return Math.abs(drawn.width - place.width) < 2;
  });
