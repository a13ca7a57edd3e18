// A form that may cost work: before it is sent, the script asks what must be done, and searches a number whose digest
// begins with zero bits. Without this script the form is sent as it is, and the server says what is missing.
"use strict";

(() => {
  // SHA-256 (FIPS 180-4): the browser's own answers each digest by a promise, which is a hundred times slower.
  const roots = (power, count) => {
    const values = [];
    for (let candidate = 2; values.length < count; candidate++) {
      let isPrime = true;
      for (let factor = 2; factor * factor <= candidate; factor++) isPrime &&= candidate % factor !== 0;
      if (isPrime) values.push(Math.floor((candidate ** power % 1) * 2 ** 32) | 0);
    }
    return values;
  };
  const rounds = Int32Array.from(roots(1 / 3, 64));
  const start = Int32Array.from(roots(1 / 2, 8));
  const schedule = new Int32Array(64);

  const compress = (state, bytes, offset) => {
    for (let i = 0; i < 16; i++, offset += 4) {
      schedule[i] = bytes[offset] << 24 | bytes[offset + 1] << 16 | bytes[offset + 2] << 8 | bytes[offset + 3];
    }
    for (let i = 16; i < 64; i++) {
      const x = schedule[i - 15];
      const y = schedule[i - 2];
      schedule[i] = schedule[i - 16] + schedule[i - 7]
        + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3)
        + ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10) | 0;
    }
    let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (let i = 0; i < 64; i++) {
      const first = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7))
        + (e & f ^ ~e & g) + rounds[i] + schedule[i] | 0;
      const second = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
      h = g;
      g = f;
      f = e;
      e = d + first | 0;
      d = c;
      c = b;
      b = a;
      a = first + second | 0;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
  };

  // The leading zero bits of the digest of some ASCII text whose first blocks were digested before.
  const counter = (prefix) => {
    const encoder = new TextEncoder();
    const first = encoder.encode(prefix);
    const whole = first.length - first.length % 64;
    const middle = Int32Array.from(start);
    for (let offset = 0; offset < whole; offset += 64) compress(middle, first, offset);
    const rest = first.subarray(whole);
    const buffer = new Uint8Array(128);
    const view = new DataView(buffer.buffer);
    const state = new Int32Array(8);
    return (text) => {
      const length = rest.length + text.length;
      const end = length + 9 > 64 ? 128 : 64;
      buffer.fill(0);
      buffer.set(rest);
      for (let i = 0; i < text.length; i++) buffer[rest.length + i] = text.charCodeAt(i);
      buffer[length] = 0x80;
      view.setUint32(end - 4, (whole + length) * 8);
      state.set(middle);
      for (let offset = 0; offset < end; offset += 64) compress(state, buffer, offset);
      let bits = 0;
      for (let i = 0; i < 8; i++) {
        bits += Math.clz32(state[i]);
        if (state[i] !== 0) break;
      }
      return bits;
    };
  };

  // More would take a phone longer than the challenge is good.
  const maximumBits = 24;

  const search = async ({challenge, bits}) => {
    const count = counter(`${challenge}.`);
    let pause = performance.now();
    for (let number = 0; ; number++) {
      const text = number.toString(16);
      if (count(text) >= bits) return text;
      // The page lives on while it works.
      if ((number & 0xff) === 0 && performance.now() - pause > 25) {
        await new Promise((resolve) => setTimeout(resolve));
        pause = performance.now();
      }
    }
  };

  const demand = async (form) => {
    const token = form.elements.form_token;
    try {
      const answer = await fetch(form.dataset.work, {
        method: "POST", redirect: "error", body: new URLSearchParams({[token.name]: token.value}),
      });
      return answer.ok ? await answer.json() : {};
    } catch {
      return {};
    }
  };

  for (const form of document.querySelectorAll("form[data-work]")) {
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (form.dataset.running) return;
      form.dataset.running = "yes";
      const work = await demand(form);
      if (work.challenge && work.bits <= maximumBits) {
        form.querySelector("[role=status]").textContent = form.dataset.working;
        const solution = await search(work);
        form.elements.work_challenge.value = work.challenge;
        form.elements.work_bits.value = work.bits;
        form.elements.work_solution.value = solution;
      }
      form.submit();
    });
  }
  // Back in a page that the browser kept, the form can be sent again.
  addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.querySelectorAll("form[data-work]")) delete form.dataset.running;
  });
})();
