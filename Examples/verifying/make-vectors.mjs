// Writes vectors.json: node make-vectors.mjs. The keys are for tests alone, and are always the same; signatures are not.
// node make-vectors.mjs FILE ISSUER writes vectors for a backend that runs now, as Examples/Backend: those near the end of a
// time keep a minute's distance from it.
import { createECDH, createHash, createHmac, createPrivateKey, sign } from "node:crypto";
import { writeFileSync } from "node:fs";

const [file, liveIssuer] = process.argv.slice(2);
const now = liveIssuer ? Math.floor(Date.now() / 1000) : 1800000000;
const slack = liveIssuer ? 60 : 0;
const issuer = liveIssuer ?? "https://id.example.com";
const audience = "https://game.example.com";
const base64url = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

// P-256 keys whose private halves are the hashes of their names.
function keyNamed(name) {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(createHash("sha256").update(name).digest());
  const point = curve.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  const d = Buffer.from(curve.getPrivateKey()).toString("base64url");
  const kid = createHash("sha256").update(`{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`).digest("base64url");
  return { public: { kty: "EC", crv: "P-256", x, y }, kid, key: createPrivateKey({ key: { kty: "EC", crv: "P-256", x, y, d }, format: "jwk" }) };
}
const signing = keyNamed("okaeri vectors: signing");
const former = keyNamed("okaeri vectors: the key before");
const stranger = keyNamed("okaeri vectors: a stranger");
const device = keyNamed("okaeri vectors: a device");

function jwt(header, claims, by) {
  const text = `${base64url(header)}.${base64url(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), { key: by.key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

const claims = {
  iss: issuer, sub: "00VHjA0kPq3ZsX1d", aud: audience, client_id: "00VHj9mrbT8wn7Qk", sid: "00VHjB1nRs5YtW2e",
  jti: "dG9rZW4gb2YgYSB0ZXN0", iat: now - 60, exp: now + 540, auth_time: now - 3600, amr: ["pwd", "otp"], acr: "2",
  is_anonymous: false, roles: ["editor", "member"], permissions: ["articles:write"], plan: { name: "gold", seats: 3 },
};
const header = { typ: "at+jwt", alg: "ES256", kid: signing.kid };
const token = (changes = {}, head = {}, by = signing) => {
  const all = { ...claims, ...changes };
  return jwt({ ...header, ...head }, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), by);
};
const good = token();
const [head, body, signature] = good.split(".");
const bound = token({ cnf: { jkt: device.kid } });
const secret = `HS256 under the public key`;
const hmacToken = () => {
  const text = `${base64url({ ...header, alg: "HS256" })}.${base64url(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
};

const tokens = [
  { name: "a token", token: good, error: null },
  { name: "several audiences", token: token({ aud: ["https://other.example.com", audience] }), error: null },
  { name: "signed with the key before", token: token({}, { kid: former.kid }, former), error: null },
  { name: "ended within the leeway", token: token({ iat: now - 620, exp: now - 20 + slack }), error: null },
  { name: "the long form of the type", token: token({}, { typ: "application/AT+JWT" }), error: null },
  { name: "ended", token: token({ iat: now - 700, exp: now - 100 }), error: "expired" },
  { name: "ends with the leeway", token: token({ exp: now - 30 }), error: "expired" },
  { name: "issued later", token: token({ iat: now + 100 + slack }), error: "notYetValid" },
  { name: "begins later", token: token({ nbf: now + 100 + slack }), error: "notYetValid" },
  { name: "without an end", token: token({ exp: undefined }), error: "claimMissing" },
  { name: "an end that is a text", token: token({ exp: String(now + 540) }), error: "claimMissing" },
  { name: "an end beyond all numbers", token: token({ exp: 1e300 }), error: "claimMissing" },
  { name: "without a user", token: token({ sub: undefined }), error: "claimMissing" },
  { name: "of another server", token: token({ iss: "https://id.example.org" }), error: "issuerRefused" },
  { name: "of a server with a slash more", token: token({ iss: `${issuer}/` }), error: "issuerRefused" },
  { name: "for somebody else", token: token({ aud: "https://other.example.com" }), error: "audienceRefused" },
  { name: "for nobody", token: token({ aud: undefined }), error: "audienceRefused" },
  { name: "for an empty list", token: token({ aud: [] }), error: "audienceRefused" },
  { name: "an identity token", token: token({}, { typ: "JWT" }), error: "typeRefused" },
  { name: "without a type", token: token({}, { typ: undefined }), error: "typeRefused" },
  { name: "of an unknown key", token: token({}, { kid: stranger.kid }, stranger), error: "keyUnknown" },
  { name: "without a key id", token: token({}, { kid: undefined }), error: "keyUnknown" },
  { name: "signed by a stranger", token: token({}, {}, stranger), error: "signatureRefused" },
  { name: "signed with the other key of the set", token: token({}, {}, former), error: "signatureRefused" },
  { name: "changed claims", token: `${head}.${base64url({ ...claims, roles: ["admin"] })}.${signature}`, error: "signatureRefused" },
  { name: "a signature of zeros", token: `${head}.${body}.${Buffer.alloc(64).toString("base64url")}`, error: "signatureRefused" },
  { name: "not signed", token: `${base64url({ ...header, alg: "none" })}.${body}.`, error: "algorithmRefused" },
  { name: "signed with a shared secret", token: hmacToken(), error: "algorithmRefused" },
  { name: "a short signature", token: `${head}.${body}.${signature.slice(0, 40)}`, error: "malformed" },
  { name: "an extension that must be understood", token: token({}, { crit: ["exp"], exp: now }), error: "malformed" },
  { name: "two parts", token: `${head}.${body}`, error: "malformed" },
  { name: "four parts", token: `${good}.${signature}`, error: "malformed" },
  { name: "with padding", token: `${head}=.${body}.${signature}`, error: "malformed" },
  { name: "a list for claims", token: jwt(header, [claims], signing), error: "malformed" },
  { name: "nothing", token: "", error: "malformed" },
];

const secrets = ["one", "two"].map((name) => `whsec_${createHash("sha256").update(`okaeri vectors: ${name}`).digest("base64")}`);
const event = JSON.stringify({
  id: "00VHjC2mXa7Kq1Zb", type: "user.merged", timestamp: "2027-01-15T08:00:00.000Z", position: 1201,
  data: { user: "00VHjA0kPq3ZsX1d", leftUser: "00VHjB1nRs5YtW2e", details: { "left-user": "00VHjB1nRs5YtW2e" } },
});
const mac = (text, by) => `v1,${createHmac("sha256", Buffer.from(by.slice(6), "base64")).update(text).digest("base64")}`;
function webhook(name, error, { id = "00VHjC2mXa7Kq1Zb", time = now, by = [secrets[0]], text = event, held = [secrets[0]], headers = {}, sent = text } = {}) {
  const signature = by.map((one) => mac(`${id}.${time}.${text}`, one)).join(" ");
  const all = { "webhook-id": id, "webhook-timestamp": String(time), "webhook-signature": signature, ...headers };
  return { name, secrets: held, headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), body: sent, error };
}
const webhooks = [
  webhook("an event", null),
  webhook("both secrets sign, the receiver has the new one", null, { by: [secrets[1], secrets[0]], held: [secrets[1]] }),
  webhook("both secrets sign, the receiver has the former one", null, { by: [secrets[1], secrets[0]], held: [secrets[0]] }),
  webhook("the receiver has both already", null, { held: [secrets[1], secrets[0]] }),
  webhook("a signature of another version beside it", null, { headers: { "webhook-signature": `v1a,AAAA ${mac(`00VHjC2mXa7Kq1Zb.${now}.${event}`, secrets[0])}` } }),
  webhook("almost too old", null, { time: now - 300 + slack }),
  webhook("a text beyond ASCII", null, { text: event.replace("user.merged", "日本語") }),
  webhook("too old", "timeRefused", { time: now - 301 }),
  webhook("from the future", "timeRefused", { time: now + 301 + slack }),
  webhook("another secret", "signatureRefused", { by: [secrets[1]] }),
  webhook("a changed body", "signatureRefused", { sent: event.replace("1201", "1202") }),
  webhook("a body with a line more", "signatureRefused", { sent: `${event}\n` }),
  webhook("another id", "signatureRefused", { headers: { "webhook-id": "00VHjC2mXa7Kq1Zc" } }),
  webhook("another time", "signatureRefused", { headers: { "webhook-timestamp": String(now + 1) } }),
  webhook("an empty signature", "signatureRefused", { headers: { "webhook-signature": "v1," } }),
  webhook("half a signature", "signatureRefused", { headers: { "webhook-signature": "v1,AAAAAAAAAAAAAAAAAAAAAA==" } }),
  webhook("no signature", "malformed", { headers: { "webhook-signature": undefined } }),
  webhook("no id", "malformed", { headers: { "webhook-id": undefined } }),
  webhook("no time", "malformed", { headers: { "webhook-timestamp": undefined } }),
  webhook("a time in words", "malformed", { headers: { "webhook-timestamp": "today" } }),
  webhook("a time beyond all numbers", "malformed", { headers: { "webhook-timestamp": "9".repeat(40) } }),
];

const [method, url] = liveIssuer ? ["GET", `${audience}/v1/me`] : ["POST", `${audience}/v1/scores`];
const ath = (text) => createHash("sha256").update(text).digest("base64url");
const proofClaims = { htm: method, htu: url, iat: now, ath: ath(bound) };
let proofs = 0;
const proof = (changes = {}, head = {}, by = device) => {
  const all = { jti: `proof ${(proofs += 1)}`, ...proofClaims, ...changes };
  return jwt({ typ: "dpop+jwt", alg: "ES256", jwk: by.public, ...head },
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), by);
};
const request = (name, error, { scheme = "DPoP", token = bound, dpop = proof(), by = method, at = url } = {}) =>
  ({ name, authorization: `${scheme} ${token}`, dpop, method: by, url: at, error });
const requests = [
  request("a proof", null),
  request("a bearer token", null, { scheme: "Bearer", token: good, dpop: null }),
  request("a query and a fragment do not count", null, { at: `${url}?page=2` }),
  request("the port of the scheme", null, { dpop: proof({ htu: url.replace("game.example.com", "GAME.example.com:443") }) }),
  request("a bound token without a proof", "proofRequired", { dpop: null }),
  request("a bound token as a bearer token", "proofRequired", { scheme: "Bearer" }),
  request("a bearer token with a proof", "proofRefused", { token: good, dpop: proof({ ath: ath(good) }) }),
  request("another method", "proofRefused", { dpop: proof({ htm: "PUT" }) }),
  request("another path", "proofRefused", { at: `${url}/1` }),
  request("another host", "proofRefused", { at: url.replace("game", "evil") }),
  request("another port", "proofRefused", { at: url.replace(".com", ".com:8443") }),
  request("another token", "proofRefused", { dpop: proof({ ath: ath(good) }) }),
  request("no token", "proofRefused", { dpop: proof({ ath: undefined }) }),
  request("another key", "proofRefused", { dpop: proof({}, {}, stranger) }),
  request("another's signature", "signatureRefused", { dpop: proof({}, { jwk: device.public }, stranger) }),
  request("too old", "timeRefused", { dpop: proof({ iat: now - 61 }) }),
  request("from the future", "timeRefused", { dpop: proof({ iat: now + 61 + slack }) }),
  request("without an id", "malformed", { dpop: proof({ jti: undefined }) }),
  request("with a private key", "malformed", { dpop: proof({}, { jwk: { ...device.public, d: "AAAA" } }) }),
  request("a token for a proof", "typeRefused", { dpop: bound }),
  request("not signed", "algorithmRefused", { dpop: `${base64url({ typ: "dpop+jwt", alg: "none", jwk: device.public })}.${base64url(proofClaims)}.` }),
  request("another scheme", "tokenMissing", { scheme: "Basic" }),
];

const keys = [signing, former].map((one) => ({ ...one.public, kid: one.kid, use: "sig", alg: "ES256" }));
const vectors = { now, issuer, audience, leeway: 30, keySet: { keys }, claims, tokens, webhooks, requests };
writeFileSync(file ?? new URL("vectors.json", import.meta.url), `${JSON.stringify(vectors, null, 2)}\n`);
