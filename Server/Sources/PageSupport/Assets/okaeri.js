// What pages do better with a script; all of it works without one.
"use strict";

(() => {
  const words = document.getElementById("words")?.dataset ?? {};

  // What a form led to is not asked for again: reload and back open the page that the form stood in, which its languages name.
  // What a provider led back to would set out again. Who is away to look for a code finds its form again, though a phone may have
  // to load it anew, and codes that are shown once do not go without a question: to these pages only the form leads, which the
  // browser sends again after asking. An address that is written here is opened instead, and has no such page. A log-in whose
  // code stands beside the password begins anew.
  const page = new URL(document.querySelector(".languages [aria-current]")?.href ?? location.href);
  const token = ({searchParams}) => searchParams.get("token");
  const isElsewhere = page.pathname !== location.pathname || token(page) !== token(new URL(location.href));
  const asksAnew = !isElsewhere && document.querySelector("[autocomplete=current-password]");
  const isKept = document.querySelector("[data-once]") || !asksAnew && document.querySelector("[autocomplete=one-time-code]");
  if (!isKept) {
    const isNamed = isElsewhere && !location.pathname.includes("/provider/");
    if (isNamed) page.searchParams.delete("lang");
    history.replaceState(history.state, "", isNamed ? page : location.href);
  }

  // Errors are read first.
  document.querySelector(".summary")?.focus();

  // A password can be shown while it is typed.
  for (const input of document.querySelectorAll("input[data-reveal]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "reveal";
    button.setAttribute("aria-controls", input.id);
    const label = input.labels[0]?.textContent;
    const show = (shown) => {
      input.type = shown ? "text" : "password";
      button.textContent = shown ? words.hide : words.show;
      // A page can have several; what pressing does is in the name, and no “pressed” beside it turns it around.
      button.setAttribute("aria-label", `${button.textContent}: ${label}`);
    };
    show(false);
    button.addEventListener("click", () => show(input.type === "password"));
    const frame = document.createElement("div");
    frame.className = "with-reveal";
    input.replaceWith(frame);
    frame.append(input, button);
    input.form?.addEventListener("submit", () => show(false));
  }

  // One click sends a form once.
  for (const form of document.forms) {
    form.addEventListener("submit", (event) => {
      if ("again" in (event.submitter?.dataset ?? {})) return;
      if (form.dataset.sent) return event.preventDefault();
      form.dataset.sent = "yes";
      for (const button of form.querySelectorAll("button[type=submit]")) button.setAttribute("aria-busy", "true");
      setTimeout(() => {
        delete form.dataset.sent;
        for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
      }, 8000);
    });
  }
  // Back in a page that the browser kept, forms can be sent again.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    for (const form of document.forms) delete form.dataset.sent;
    for (const button of document.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
  });

  // A code can be copied.
  for (const place of document.querySelectorAll("[data-copyable]")) {
    if (!navigator.clipboard) break;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-outline button-small";
    button.textContent = words.copy;
    const status = document.createElement("span");
    status.setAttribute("role", "status");
    status.className = "copied";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(place.textContent.trim());
      status.textContent = words.copied;
    });
    place.after(button, status);
  }

  // Codes can be printed.
  for (const place of document.querySelectorAll("[data-printable]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-outline button-small";
    button.textContent = words.print;
    button.addEventListener("click", () => print());
    place.after(button);
  }

  // Times are shown as the person's own clock does.
  for (const time of document.querySelectorAll("time[datetime]")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) {
      // In the page's language, and in the form of the person's own country where it has one.
      const { lang } = document.documentElement;
      time.textContent = new Intl.DateTimeFormat(navigator.languages.find((tag) => tag.split("-")[0] === lang) ?? lang, {
        dateStyle: "medium", timeStyle: "short",
      }).format(date);
    }
  }
})();
