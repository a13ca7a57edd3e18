// The search over the page's own index, which a script beside it brings: sections whose text has all words.
"use strict";

const page = document.documentElement;
const field = document.getElementById("search");
const results = document.getElementById("results");
const limit = 20;

// Full-width letters of Japanese keyboards count as their narrow ones.
const normal = (text) => text.normalize("NFKC").toLowerCase();
const prepared = okaeriIndex.map(([address, title, heading, text]) => ({
    address, title, heading, text, titleText: normal(title), headingText: normal(heading), bodyText: normal(text),
}));

function found(query) {
    const words = normal(query).split(/\s+/).filter(Boolean);
    if (words.length === 0) return [];
    const hits = [];
    for (const entry of prepared) {
        let score = 0;
        for (const word of words) {
            const worth = (entry.titleText.includes(word) ? 4 : 0) + (entry.headingText.includes(word) ? 6 : 0)
                + (entry.bodyText.includes(word) ? 1 : 0);
            if (worth === 0) { score = 0; break; }
            score += worth;
        }
        if (score > 0) hits.push({ entry, score });
    }
    return hits.sort((one, other) => other.score - one.score).slice(0, limit).map(({ entry }) => ({ entry, words }));
}

// A piece of the text around the first word that is in it; nothing of it is taken for HTML.
function excerpt(text, words) {
    const low = text.toLowerCase();
    const first = words.map((word) => low.indexOf(word)).find((position) => position >= 0) ?? 0;
    const begin = Math.max(0, first - 40);
    const piece = text.slice(begin, begin + 140);
    const line = document.createElement("span");
    line.append(begin > 0 ? "…" : "");
    let rest = piece;
    while (rest) {
        const next = words.map((word) => [rest.toLowerCase().indexOf(word), word.length]).filter(([at]) => at >= 0)
            .sort(([one], [other]) => one - other)[0];
        if (!next) { line.append(rest); break; }
        const marked = document.createElement("mark");
        marked.textContent = rest.slice(next[0], next[0] + next[1]);
        line.append(rest.slice(0, next[0]), marked);
        rest = rest.slice(next[0] + next[1]);
    }
    line.append(begin + 140 < text.length ? "…" : "");
    return line;
}

function show() {
    results.replaceChildren();
    results.hidden = field.value.trim() === "";
    if (results.hidden) return;
    const hits = found(field.value);
    for (const { entry, words } of hits) {
        const link = document.createElement("a");
        link.href = page.dataset.top + entry.address;
        const title = document.createElement("b");
        title.textContent = entry.heading && entry.heading !== entry.title ? `${entry.title} › ${entry.heading}` : entry.title;
        link.append(title, excerpt(entry.text, words));
        results.append(link);
    }
    if (hits.length === 0) {
        const line = document.createElement("p");
        line.textContent = page.dataset.none;
        results.append(line);
    }
}

field.addEventListener("input", show);
field.form.addEventListener("submit", (event) => {
    event.preventDefault();
    results.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
        event.preventDefault();
        field.focus();
    } else if (event.key === "Escape") {
        results.hidden = true;
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && field.form.contains(document.activeElement)) {
        const stops = [field, ...results.querySelectorAll("a")];
        const next = stops[stops.indexOf(document.activeElement) + (event.key === "ArrowDown" ? 1 : -1)];
        if (next && !results.hidden) { event.preventDefault(); next.focus(); }
    }
});
document.addEventListener("click", (event) => { if (!field.form.contains(event.target)) results.hidden = true; });

// On a narrow screen the contents begin closed, so that the text comes first.
if (matchMedia("(max-width: 60rem)").matches) document.querySelector(".contents .all").open = false;
// The link to the page itself is in sight among the contents.
document.querySelector('.contents [aria-current="page"]')?.closest("details")?.setAttribute("open", "");
