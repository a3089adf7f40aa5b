/**
 * Imported before a process's own code: shifts what the process believes the time to be by the milliseconds in CLOCK_FILE,
 * at run time. Timers and `performance.now` count on as they are, as they do when a machine's clock is set.
 */
import crypto from "node:crypto";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const EVERY_MS = 50;
const file = process.env.CLOCK_FILE;
const RealDate = globalThis.Date;
let shift = 0;

function read() {
  try {
    shift = Number(readFileSync(file, "utf8")) || 0;
  } catch {
    shift = 0;
  }
}

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shift;
  }
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
}

/** An id of version 7 begins with the milliseconds of the clock. */
function shiftedId(id) {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + shift;
  const hex = milliseconds.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
}

if (file) {
  read();
  setInterval(read, EVERY_MS).unref();
  const { randomUUIDv7 } = crypto;
  crypto.randomUUIDv7 = (options) => shiftedId(randomUUIDv7(options));
  syncBuiltinESMExports();
  // `Date()` without `new` answers a text.
  globalThis.Date = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() });
}
