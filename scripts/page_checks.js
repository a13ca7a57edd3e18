// What every page must be for people who use no mouse, or no eyes; run by page_checks.py in each page.
() => {
  const faults = [];
  const shown = (element) => element.getClientRects().length > 0 && element.checkVisibility({ visibilityProperty: true });
  const hidden = (element) => element.closest(".visually-hidden,[aria-hidden=true],template");
  const name = (element) => {
    const by = (element.getAttribute("aria-labelledby") ?? "").split(" ").filter(Boolean)
      .map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const labels = [...(element.labels ?? [])].map((label) => label.textContent).join(" ");
    return (by || element.getAttribute("aria-label") || labels || (element.matches("a,button,summary") ? element.textContent : "")).trim();
  };
  const call = (element) => `${element.tagName.toLowerCase()} ${element.name || element.id || element.textContent.trim().slice(0, 30)}`;

  // The page as a whole.
  if (!document.documentElement.lang) faults.push("no language");
  if (!document.title.trim()) faults.push("no title");
  if (document.querySelectorAll("main,[role=main]").length !== 1) faults.push("not one main");
  if (document.querySelectorAll("h1").length !== 1) faults.push("not one h1");
  const levels = [...document.querySelectorAll("h1,h2,h3,h4")].map((h) => Number(h.tagName[1]));
  levels.forEach((level, at) => { if (at && level > levels[at - 1] + 1) faults.push("a heading level is left out"); });
  const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
  if (new Set(ids).size !== ids.length) faults.push("an id is there twice");
  if (document.documentElement.scrollWidth > innerWidth) faults.push(`wider than the window: ${document.documentElement.scrollWidth}`);

  // Roles: known ones, and what they refer to is there.
  const roles = ["alert", "status", "img", "navigation", "main", "dialog", "presentation", "none", "search", "tablist", "tab",
    "tabpanel", "group", "list", "listitem", "table", "row", "cell", "columnheader", "rowheader", "region", "progressbar", "note", "log",
    "radiogroup"];
  for (const element of document.querySelectorAll("[role]")) {
    if (!roles.includes(element.getAttribute("role"))) faults.push(`role: ${element.getAttribute("role")}`);
    if (element.getAttribute("role") === "img" && !name(element)) faults.push("a picture without a name");
  }
  for (const attribute of ["aria-describedby", "aria-labelledby", "aria-controls"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(" ").filter(Boolean)) {
        if (!document.getElementById(id)) faults.push(`${attribute} of ${call(element)} leads nowhere: ${id}`);
      }
    }
  }
  for (const image of document.querySelectorAll("img")) if (!image.hasAttribute("alt")) faults.push("no alt");
  for (const nav of document.querySelectorAll("nav")) if (document.querySelectorAll("nav").length > 1 && !name(nav)) faults.push("a nav without a name");
  for (const head of document.querySelectorAll("th")) if (!head.scope && head.closest("thead,tbody")) faults.push(`a th without scope: ${head.textContent.trim().slice(0, 30)}`);

  // Every control has a name, a size, and a position in the order that is the page's own.
  const controls = [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary")];
  for (const element of controls) {
    if (hidden(element)) continue;
    if (!name(element)) faults.push(`no name: ${call(element)}`);
    if (Number(element.getAttribute("tabindex") ?? 0) > 0) faults.push("a tabindex above 0");
    if (element.matches("input,textarea") && !["checkbox", "radio", "file", "date", "number"].includes(element.type) && !element.autocomplete) {
      faults.push(`no autocomplete: ${call(element)}`);
    }
    if (!shown(element)) continue;
    // WCAG 2.2, 2.5.8: 24 by 24, but for links in a line of text; on a phone 44 high (2.5.5), for fingers.
    const box = element.getBoundingClientRect();
    const inline = element.tagName === "A" && getComputedStyle(element).display === "inline"
      && [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    const label = element.labels?.[0]?.getBoundingClientRect();
    const height = Math.max(box.height, element.matches("[type=checkbox],[type=radio]") ? label?.height ?? 0 : 0);
    const apart = element.tagName === "A" && element.getClientRects().length > 1;
    // The head of a list is for the ears alone there.
    const least = innerWidth <= 640 && !element.closest("thead") ? 43.5 : 23.5;
    if (!inline && !apart && (height < least || box.width < 23.5)) faults.push(`small, ${box.width.toFixed()}×${box.height.toFixed()}: ${call(element)}`);
  }

  // Errors: named at their field, announced, and read first.
  const wrong = [...document.querySelectorAll("[aria-invalid=true]")];
  for (const element of wrong) {
    const announced = (element.getAttribute("aria-describedby") ?? "").split(" ").some((id) => document.getElementById(id)?.classList.contains("error"));
    if (!announced) faults.push(`an error that is not read with its field: ${call(element)}`);
  }
  const alert = document.querySelector("[role=alert],[aria-live=assertive]");
  if (wrong.length && !alert) faults.push("errors are not announced");
  if (alert?.matches(".summary") && document.activeElement !== alert) faults.push("errors do not have the focus");

  // Contrast as it is drawn (WCAG 2.2 AA): texts 4.5, large ones and edges of fields 3.
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
  const ratio = (front, back) => {
    const [one, two] = [light(over(front, back)), light(back)].sort((x, y) => y - x);
    return (one + 0.05) / (two + 0.05);
  };
  const ground = (element) => {
    let back = [255, 255, 255, 1];
    const chain = [];
    for (let at = element; at; at = at.parentElement) chain.unshift(colour(getComputedStyle(at).backgroundColor));
    for (const layer of chain) back = over(layer, back);
    return back;
  };
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !shown(element) || element.closest(".visually-hidden,svg,template,[disabled]")) continue;
    const style = getComputedStyle(element);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && Number(style.fontWeight) >= 700);
    const found = ratio(colour(style.color), ground(element));
    if (found < (large ? 3 : 4.5)) faults.push(`contrast ${found.toFixed(2)}: ${element.textContent.trim().slice(0, 40)}`);
  }
  for (const element of document.querySelectorAll("input:not([type=hidden],[type=checkbox],[type=radio]),select,textarea")) {
    if (!shown(element) || hidden(element)) continue;
    const found = ratio(colour(getComputedStyle(element).borderTopColor), ground(element.parentElement));
    if (found < 3) faults.push(`edge of ${call(element)}: ${found.toFixed(2)}`);
  }

  // Weight and origin of everything that was loaded.
  const loaded = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const foreign = loaded.filter((entry) => !entry.name.startsWith(location.origin + "/") && !entry.name.startsWith("data:"));
  for (const entry of foreign) faults.push(`from elsewhere: ${entry.name}`);
  for (const element of document.querySelectorAll("script[src],link[href],img[src],iframe,source,video,audio,object,embed")) {
    const address = element.src || element.href || element.data;
    if (address && !address.startsWith("data:") && new URL(address, location.href).origin !== location.origin) faults.push(`from elsewhere: ${address}`);
  }
  const weight = loaded.filter((entry) => !/\/theme\//.test(entry.name)).reduce((sum, entry) => sum + entry.decodedBodySize, 0);
  return { faults, weight };
}
