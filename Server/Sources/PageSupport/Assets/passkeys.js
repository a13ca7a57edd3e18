// Passkeys. Forms for them are hidden until this script finds that the browser can do what they need.
"use strict";

(() => {
  const api = window.PublicKeyCredential;
  const signals = document.getElementById("passkey-signals")?.dataset;

  // Authenticators hear which passkeys there are, and forget others (WebAuthn level 3, §5.1.10). Browsers may refuse.
  const signal = (name, values) => api?.[name]?.({rpId: signals.domain, ...values}).catch(() => {});
  if (signals?.unknown) signal("signalUnknownCredential", {credentialId: signals.unknown});
  for (const {userId, ids} of JSON.parse(signals?.accepted ?? "[]")) {
    signal("signalAllAcceptedCredentials", {userId, allAcceptedCredentialIds: ids});
    signal("signalCurrentUserDetails", {userId, name: signals.user, displayName: signals.display});
  }

  if (!navigator.credentials || !api?.parseCreationOptionsFromJSON || !api.parseRequestOptionsFromJSON) return;

  // The ceremony that waits for a person; browsers allow one at a time.
  let waiting;

  // The name of a new passkey comes along: it is checked before the authenticator makes one.
  const ask = async (form) => {
    const fields = [form.elements.form_token, form.elements.name].filter((field) => field);
    try {
      const answer = await fetch(form.dataset.options, {
        method: "POST", redirect: "error", body: new URLSearchParams(fields.map(({name, value}) => [name, value])),
      });
      return answer.ok ? (await answer.json()).publicKey : undefined;
    } catch {
      return undefined;
    }
  };

  // Sends the form with what the authenticator says; without it, the server says what is missing.
  const run = async (form, mediation) => {
    waiting?.abort();
    const own = waiting = new AbortController();
    const options = await ask(form);
    if (own.signal.aborted) return;
    if (options) {
      const credential = form.dataset.passkey === "create"
        ? await navigator.credentials.create({
          publicKey: api.parseCreationOptionsFromJSON(options), signal: own.signal,
        })
        : await navigator.credentials.get({
          publicKey: api.parseRequestOptionsFromJSON(options), signal: own.signal, ...mediation,
        });
      form.elements.credential.value = JSON.stringify(credential);
    } else if (mediation) {
      return;
    }
    form.submit();
  };

  // Passkeys stand among the suggestions of a field. A challenge ends after five minutes, and so the request is renewed.
  let renewal;
  const suggest = async (form) => {
    clearInterval(renewal);
    if (!await api.isConditionalMediationAvailable?.()) return;
    const begin = () => run(form, {mediation: "conditional"}).catch(() => {});
    renewal = setInterval(begin, 240_000);
    begin();
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    const status = form.querySelector("[role=status]");
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (form.dataset.running) return;
      form.dataset.running = "yes";
      clearInterval(renewal);
      status.textContent = "";
      try {
        await run(form);
      } catch (error) {
        status.textContent = error.name === "InvalidStateError" ? form.dataset.present : form.dataset.cancelled;
        const first = document.querySelector("form[data-conditional]");
        if (first) suggest(first);
      }
      delete form.dataset.running;
      delete form.dataset.sent;
      form.querySelector("[aria-busy]")?.removeAttribute("aria-busy");
    });
    form.hidden = false;
    if ("conditional" in form.dataset) suggest(form);
  }
  for (const part of document.querySelectorAll("[data-with-passkeys]")) part.hidden = false;
})();
