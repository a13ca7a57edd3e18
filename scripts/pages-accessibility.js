// What every page must be for people who use no mouse, or no eyes; run by check-pages.py in each page.
() => {
  const faults = [];
  const shown = (element) => element.getClientRects().length > 0;
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title) faults.push("no title");
  if (document.querySelectorAll("main").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  const levels = [...document.querySelectorAll("h1,h2,h3")].map((h) => Number(h.tagName[1]));
  levels.forEach((level, at) => { if (at && level > levels[at - 1] + 1) faults.push("a heading level is left out"); });
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id is there twice");
  for (const input of document.querySelectorAll("input:not([type=hidden]),select,textarea")) {
    if (input.getAttribute("aria-hidden") === "true") continue;
    if (!input.labels?.length && !input.getAttribute("aria-label")) faults.push(`no label: ${input.name}`);
    if (input.type !== "checkbox" && !input.autocomplete) faults.push(`no autocomplete: ${input.name}`);
    for (const id of (input.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean)) {
      if (!document.getElementById(id)) faults.push(`described by nothing: ${id}`);
    }
  }
  for (const element of document.querySelectorAll("a[href],button")) {
    if (!(element.textContent.trim() || element.getAttribute("aria-label"))) faults.push("a link or button without a name");
  }
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) faults.push("no alt");
  for (const element of document.querySelectorAll("[tabindex]")) {
    if (Number(element.getAttribute("tabindex")) > 0) faults.push("a tabindex above 0");
  }
  for (const element of document.querySelectorAll("a[href],button,input:not([type=hidden]),summary")) {
    if (!shown(element) || element.classList.contains("visually-hidden")) continue;
    const box = element.getBoundingClientRect();
    if (box.height < 21 && getComputedStyle(element).display !== "inline") faults.push(`small: ${element.outerHTML.slice(0, 80)}`);
  }
  // Contrast of every text as it is drawn (WCAG 2.2 AA).
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const colour = (text) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (front, back) => front.slice(0, 3).map((v, i) => v * front[3] + back[i] * (1 - front[3])).concat(1);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !shown(element) || element.closest(".visually-hidden,svg,template")) continue;
    let back = [255, 255, 255, 1];
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(colour(getComputedStyle(at).backgroundColor));
    for (const layer of chain) back = over(layer, back);
    const front = over(colour(getComputedStyle(element).color), back);
    const [one, two] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (one + 0.05) / (two + 0.05);
    if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);
  return faults;
}
