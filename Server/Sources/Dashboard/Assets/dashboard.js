// What the dashboard does better with a script; all of it works without one.
"use strict";

(() => {
  const words = document.getElementById("words")?.dataset ?? {};
  const main = () => document.getElementById("main");

  const showTimes = (root) => {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const date = new Date(time.dateTime);
      if (Number.isNaN(date.getTime())) continue;
      const { lang } = document.documentElement;
      time.textContent = new Intl.DateTimeFormat(navigator.languages.find((tag) => tag.split("-")[0] === lang) ?? lang, {
        dateStyle: "medium", timeStyle: "short",
      }).format(date);
    }
  };

  const read = async (response) => new DOMParser().parseFromString(await response.text(), "text/html");

  const tell = (text, isBad = false) => {
    let place = document.getElementById("told");
    if (!place) {
      place = document.createElement("p");
      place.id = "told";
      place.setAttribute("role", "status");
      document.body.append(place);
    }
    place.className = isBad ? "told told-bad" : "told";
    place.textContent = text;
    place.hidden = text === "";
  };

  // Ctrl-K or ⌘K: every page of the dashboard by its name, and users by theirs.
  const palette = () => {
    const nav = document.querySelector(".dash-nav");
    // Who is not logged in has nowhere to go.
    if (!nav?.querySelector("a") || !words.palette) return;
    const dialog = document.createElement("dialog");
    dialog.className = "palette";
    dialog.setAttribute("aria-label", words.palette);
    const input = document.createElement("input");
    input.type = "search";
    input.autocomplete = "off";
    input.placeholder = words.palette;
    input.setAttribute("aria-label", words.palette);
    const list = document.createElement("ul");
    dialog.append(input, list);
    document.body.append(dialog);
    const fill = () => {
      const typed = input.value.trim().toLowerCase();
      const links = [...nav.querySelectorAll("a"), ...document.querySelectorAll(".tabs a")]
        .map((link) => [link.textContent.trim(), link.href])
        .filter(([label]) => label.toLowerCase().includes(typed));
      if (typed && words.users) {
        links.push([`${words.search} “${input.value.trim()}”`, `${words.users}?search=${encodeURIComponent(input.value.trim())}`]);
      }
      list.replaceChildren(...links.map(([label, href]) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = href;
        link.textContent = label;
        item.append(link);
        return item;
      }));
    };
    const open = () => {
      input.value = "";
      fill();
      dialog.showModal();
      input.focus();
    };
    input.addEventListener("input", fill);
    dialog.addEventListener("keydown", (event) => {
      const links = [...list.querySelectorAll("a")];
      const place = links.indexOf(document.activeElement);
      if (event.key === "Enter" && place < 0) {
        event.preventDefault();
        links[0]?.click();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const next = place + (event.key === "ArrowDown" ? 1 : -1);
        (links[next] ?? input).focus();
      }
    });
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      dialog.open ? dialog.close() : open();
    });
    const button = document.createElement("button");
    button.type = "button";
    button.className = "palette-button";
    button.textContent = words.palette;
    const key = document.createElement("kbd");
    key.textContent = navigator.platform.startsWith("Mac") ? "⌘K" : "Ctrl K";
    button.append(key);
    button.addEventListener("click", open);
    nav.before(button);
  };

  // A list that goes on by itself, as long as somebody looks.
  const liveTail = () => {
    const frame = document.querySelector(".table-frame[data-live]");
    if (!frame || !words.live) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-small button-outline";
    let timer = 0;
    const show = () => {
      button.textContent = timer ? words.pause : words.live;
      button.setAttribute("aria-pressed", String(timer !== 0));
    };
    const look = async () => {
      if (document.hidden) return;
      try {
        const response = await fetch(location.href, { headers: { Accept: "text/html" } });
        const next = response.ok ? (await read(response)).querySelector(".table-frame[data-live] tbody") : null;
        if (!next) throw new Error(String(response.status));
        showTimes(next);
        const known = new Set([...frame.querySelectorAll("tbody tr")].map((row) => row.textContent));
        for (const row of next.rows) if (!known.has(row.textContent)) row.classList.add("fresh");
        frame.querySelector("tbody").replaceWith(next);
        tell("");
      } catch {
        tell(words.offline, true);
      }
    };
    button.addEventListener("click", () => {
      if (timer) clearInterval(timer);
      timer = timer ? 0 : setInterval(look, 3000);
      if (timer) look();
      show();
    });
    show();
    frame.before(button);
  };

  // What is typed is shown at once, and taken back when the server does not take it.
  const swap = () => {
    const form = document.querySelector("form[data-swap]");
    form?.addEventListener("submit", async (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      const body = new URLSearchParams(new FormData(form));
      if (event.submitter?.name) body.append(event.submitter.name, event.submitter.value);
      const title = main().querySelector("h1");
      const heading = title.querySelector("bdi") ?? title;
      const before = heading.textContent;
      const name = form.elements.displayName?.value.trim();
      if (name) heading.textContent = name;
      form.setAttribute("aria-busy", "true");
      tell(words.saving);
      try {
        const response = await fetch(form.action, { method: "POST", body });
        const next = (await read(response)).getElementById("main");
        if (!next) throw new Error(String(response.status));
        // The question whether it is still the admin, and a log-in, need scripts and a title of their own. Nothing was saved then.
        if (!next.querySelector("form[data-swap]")) {
          form.submit();
          return;
        }
        main().replaceWith(next);
        if (response.redirected) history.replaceState(null, "", response.url);
        showTimes(next);
        tell("");
        (next.querySelector(".summary") ?? next.querySelector(".notice"))?.focus();
        swap();
      } catch {
        heading.textContent = before;
        tell(words.offline, true);
      } finally {
        form.removeAttribute("aria-busy");
      }
    }, { capture: true });
  };

  // What cannot be taken back is asked for once more, unless something was typed for it.
  const askAgain = () => {
    document.addEventListener("submit", (event) => {
      const { submitter: button, target: form } = event;
      if (!("sure" in (button?.dataset ?? {})) || button.dataset.sure === "yes" || form.elements.confirm) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      const dialog = document.createElement("dialog");
      dialog.className = "palette";
      const [about, note] = ["sure.about", "sure.note"].map((name) => form.elements[name]?.value);
      const [question, what, follows] = [
        ["sure", words.sure], ["sure-about", about && `${button.textContent.trim()}: ${about}`], ["sure-note", note],
      ].map(([id, text]) => {
        const line = document.createElement("p");
        line.id = id;
        line.textContent = text ?? "";
        return line;
      });
      what.className = "sure-about";
      follows.className = "hint";
      dialog.setAttribute("aria-labelledby", question.id);
      dialog.setAttribute("aria-describedby", `${what.id} ${follows.id}`);
      const row = document.createElement("p");
      row.className = "row";
      const [go, cancel] = [[button.textContent, "button-danger"], [words.cancel, "button-outline"]].map(([label, kind]) => {
        const choice = document.createElement("button");
        choice.type = "button";
        choice.className = `button button-small ${kind}`;
        choice.textContent = label;
        row.append(choice);
        return choice;
      });
      go.addEventListener("click", () => {
        dialog.close();
        const { name, value } = button;
        Object.assign(button, { name: "sure", value: "yes" });
        button.dataset.sure = "yes";
        form.requestSubmit(button);
        button.dataset.sure = "";
        Object.assign(button, { name, value });
      });
      cancel.addEventListener("click", () => dialog.close());
      dialog.addEventListener("close", () => dialog.remove());
      dialog.append(question, what, follows, row);
      document.body.append(dialog);
      dialog.showModal();
      cancel.focus();
    }, { capture: true });
  };

  // All rows of a page are picked at once.
  const pickAll = () => {
    const head = document.querySelector("th.pick");
    if (!head) return;
    const all = document.createElement("input");
    all.type = "checkbox";
    all.setAttribute("aria-label", words.all);
    all.addEventListener("change", () => {
      for (const box of document.querySelectorAll("td.pick input")) box.checked = all.checked;
    });
    head.replaceChildren(all);
  };

  // A preview follows what is typed.
  const followPreview = () => {
    const form = document.querySelector("form[data-preview]");
    const button = form?.querySelector("[formtarget=preview]");
    let timer = 0;
    form?.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => form.requestSubmit(button), 400);
    });
  };

  // On a phone the navigation is longer than the screen: the page's own place in it is in sight.
  const showPlace = () => {
    const place = document.querySelector(".dash-nav [aria-current]");
    const nav = place?.closest(".dash-nav");
    if (nav) nav.scrollLeft = place.offsetLeft - nav.offsetLeft - (nav.clientWidth - place.offsetWidth) / 2;
  };

  palette();
  showPlace();
  liveTail();
  swap();
  pickAll();
  askAgain();
  followPreview();
})();
