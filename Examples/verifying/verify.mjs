// What a backend verifies, with Node's own cryptography and nothing else. `node verify.mjs` runs it on vectors.json.
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const read = (part) => JSON.parse(Buffer.from(part, "base64url").toString());
const need = (truth, why) => { if (!truth) throw new Error(why); };

// A JWT that is signed with ES256 by the key that `find` returns for its header.
function signed(text, type, find) {
  const parts = text.split(".");
  const [header, claims] = [read(parts[0]), read(parts[1])];
  need(parts.length === 3 && parts.join("") === parts.map((part) => Buffer.from(part, "base64url").toString("base64url")).join("")
    && header.alg === "ES256" && header.crit === undefined && type.includes(header.typ?.toLowerCase()), "header");
  const key = createPublicKey({ key: find(header), format: "jwk" });
  need(verify("sha256", Buffer.from(`${parts[0]}.${parts[1]}`), { key, dsaEncoding: "ieee-p1363" }, Buffer.from(parts[2], "base64url")), "signature");
  return { header, claims };
}

// An access token. `keySet` is GET /.well-known/jwks.json, kept for as long as its Cache-Control says.
export function verifyToken(token, { keySet, issuer, audience, now = Date.now() / 1000, leeway = 30 }) {
  const { claims } = signed(token, ["at+jwt", "application/at+jwt"], (header) => keySet.keys.find((key) => key.kid === header.kid));
  const { iss, aud, exp, iat, nbf = iat, sub } = claims;
  need(iss === issuer && [aud].flat().includes(audience) && typeof sub === "string", "iss, aud or sub");
  need(Number.isSafeInteger(exp) && exp > now - leeway && iat <= now + leeway && nbf <= now + leeway, "exp, iat or nbf");
  return claims;
}

// A webhook: `headers` with small names, `body` as it came, and one secret or, while it is replaced, both.
export function verifyWebhook(headers, body, secrets, now = Date.now() / 1000) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
  need(id && /^\d{1,12}$/.test(time) && signatures && Math.abs(now - time) <= 300, "headers");
  const sent = signatures.split(" ").filter((one) => one.startsWith("v1,")).map((one) => Buffer.from(one.slice(3), "base64"));
  const macs = secrets.map((one) => createHmac("sha256", Buffer.from(one.slice(6), "base64")).update(`${id}.${time}.`).update(body).digest());
  need(macs.some((mac) => sent.some((one) => one.length === mac.length && timingSafeEqual(one, mac))), "signature");
  return JSON.parse(body);
}

// A request whose token may be bound to a key (DPoP, RFC 9449). `used` remembers proofs: a Set, or what several nodes share.
export function verifyRequest({ authorization, dpop, method, url }, rules, used) {
  const [scheme, token] = authorization.split(" ");
  const [claims, now] = [verifyToken(token, rules), rules.now ?? Date.now() / 1000];
  need(scheme.toLowerCase() === (claims.cnf ? "dpop" : "bearer"), "scheme");
  if (!claims.cnf) return claims;
  const { header: { jwk }, claims: proof } = signed(dpop, ["dpop+jwt"], (header) => { need(!header.jwk.d, "jwk"); return header.jwk; });
  const hash = (text) => createHash("sha256").update(text).digest("base64url");
  const target = (text) => { const { origin, pathname } = new URL(text); return origin + pathname; };
  need(hash(`{"crv":"P-256","kty":"EC","x":"${jwk.x}","y":"${jwk.y}"}`) === claims.cnf.jkt && proof.ath === hash(token), "key or ath");
  need(proof.htm === method && target(proof.htu) === target(url) && Math.abs(now - proof.iat) <= 60 && proof.jti, "htm, htu, iat or jti");
  need(!used.has(proof.jti) && used.add(proof.jti), "used before");
  return claims;
}

if (import.meta.url === `file://${process.argv[1]}`) {
  const { keySet, issuer, audience, now, ...vectors } = JSON.parse(readFileSync(new URL("vectors.json", import.meta.url)));
  const rules = { keySet, issuer, audience, now };
  let wrong = 0;
  function check({ name, error }, attempt) {
    let failed = null;
    try { attempt(); } catch (reason) { failed = reason; }
    if ((failed === null) === (error === null)) return;
    console.error(`${name}: ${failed ?? "was taken"}`);
    wrong += 1;
  }
  for (const one of vectors.tokens) check(one, () => verifyToken(one.token, rules));
  for (const one of vectors.webhooks) check(one, () => verifyWebhook(one.headers, one.body, one.secrets, now));
  for (const one of vectors.requests) check(one, () => verifyRequest(one, rules, new Set()));
  const [proven, used] = [vectors.requests[0], new Set()];
  check({ name: "first use", error: null }, () => verifyRequest(proven, rules, used));
  check({ name: "second use", error: "proofReplayed" }, () => verifyRequest(proven, rules, used));
  const count = vectors.tokens.length + vectors.webhooks.length + vectors.requests.length;
  if (wrong > 0) process.exit(1);
  console.log(`Node: ${count} vectors hold`);
}
