// A web app with two states: logged out and logged in. All it knows of Okaeri is the issuer in settings.json; the rest it
// learns by OpenID Connect discovery. No library, to show how little it is.

const settings = await (await fetch("settings.json")).json();
const theme = await (await fetch(settings.theme)).json();
const client = settings.issuer.split("/").pop();
const redirect = location.origin + location.pathname;
const words = {
  en: { out: "Hello!", guide: "Log in, and your things are where you left them.", logIn: "Log in",
    in: (name) => `Welcome back, ${name}!`, guideIn: "You are logged in. Close this page and open it again: you still are.",
    logOut: "Log out", account: "Your account", guest: "friend", failed: "That did not work. Please try again." },
  ja: { out: "こんにちは", guide: "ログインすると、続きから始められます。", logIn: "ログイン",
    in: (name) => `おかえりなさい、${name}さん`, guideIn: "ログインしています。閉じて開き直しても、そのままです。",
    logOut: "ログアウト", account: "アカウント", guest: "ゲスト", failed: "うまくいきませんでした。もう一度お試しください。" },
  ko: { out: "안녕하세요", guide: "로그인하면 하던 곳에서 이어집니다.", logIn: "로그인",
    in: (name) => `다시 오셨군요, ${name}님`, guideIn: "로그인되어 있습니다. 닫았다 열어도 그대로입니다.",
    logOut: "로그아웃", account: "내 계정", guest: "게스트", failed: "처리하지 못했습니다. 다시 시도해 주세요." },
}[["ja", "ko"].find((language) => navigator.language.startsWith(language)) ?? "en"];

const element = (id) => document.getElementById(id);
const random = (count) => base64url(crypto.getRandomValues(new Uint8Array(count)));
const base64url = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

function dress() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const colours = (dark ? theme.dark : theme.light) ?? {};
  const names = { background: "--background", surface: "--surface", text: "--text", mutedText: "--muted", primary: "--primary", onPrimary: "--on-primary" };
  for (const [name, property] of Object.entries(names)) {
    if (/^#[0-9A-Fa-f]{6}$/.test(colours[name] ?? "")) document.documentElement.style.setProperty(property, colours[name]);
  }
  const radius = { capsule: "24px", square: "0" }[theme.buttonShape] ?? `${Number(theme.cornerRadius ?? 10)}px`;
  document.documentElement.style.setProperty("--radius", radius);
  element("brand").textContent = theme.brand ?? "";
  document.title = theme.brand ?? document.title;
}

async function logIn() {
  const known = await (await fetch(`${settings.issuer}/.well-known/openid-configuration`)).json();
  const [verifier, state] = [random(48), random(16)];
  sessionStorage.setItem("log-in", JSON.stringify({ verifier, state }));
  const challenge = base64url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))));
  location.assign(`${known.authorization_endpoint}?${new URLSearchParams({
    response_type: "code", client_id: client, redirect_uri: redirect, scope: "openid profile", state,
    code_challenge: challenge, code_challenge_method: "S256", ui_locales: navigator.language,
  })}`);
}

// Back from the pages: the code becomes a session, and leaves the address.
async function comeBack(back) {
  const { verifier, state } = JSON.parse(sessionStorage.getItem("log-in") ?? "{}");
  sessionStorage.removeItem("log-in");
  history.replaceState(null, "", redirect);
  if (!state || back.get("state") !== state || back.get("iss") !== settings.issuer || !back.get("code")) return false;
  const answer = await fetch(`${settings.issuer}/token`, { method: "POST", body: new URLSearchParams({
    grant_type: "authorization_code", client_id: client, code: back.get("code"), redirect_uri: redirect, code_verifier: verifier,
  }) });
  if (!answer.ok) return false;
  localStorage.setItem("session", (await answer.json()).access_token);
  return true;
}

async function person() {
  const session = localStorage.getItem("session");
  if (!session) return null;
  const answer = await fetch(`${settings.issuer}/userinfo`, { headers: { Authorization: `Bearer ${session}` } });
  if (answer.ok) return answer.json();
  if (answer.status === 401) localStorage.removeItem("session");
  return null;
}

function show(who, failed) {
  const [button, account] = [element("button"), element("account")];
  element("greeting").textContent = who ? words.in(who.name ?? who.preferred_username ?? words.guest) : words.out;
  element("guide").textContent = failed ? words.failed : who ? words.guideIn : words.guide;
  button.textContent = who ? words.logOut : words.logIn;
  button.hidden = false;
  button.onclick = who ? () => { localStorage.removeItem("session"); show(null); } : logIn;
  account.hidden = !who;
  account.textContent = words.account;
  account.href = `${settings.issuer}/account`;
}

dress();
const back = new URLSearchParams(location.search);
const failed = (back.has("code") || back.has("error")) && !(await comeBack(back));
show(await person(), failed && back.get("error") !== "access_denied");
