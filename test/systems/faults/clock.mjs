/**
 * Imported before a process's own code: shifts the wall clock of the process by the milliseconds in CLOCK_FILE,
 * at run time. Timers and `performance.now` are unaffected, as when a machine's clock is set.
 */
import crypto from "node:crypto";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const POLL_MS = 50;
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
  constructor(...args) {
    if (args.length === 0) super(RealDate.now() + shift);
    else super(...args);
  }
  static now() {
    return RealDate.now() + shift;
  }
  static [Symbol.hasInstance](value) {
    return value instanceof RealDate;
  }
}

/** Shifts the timestamp at the start of a UUID of version 7. */
function shiftedId(id) {
  const milliseconds = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) + shift;
  const hex = milliseconds.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}`;
}

if (file) {
  read();
  setInterval(read, POLL_MS).unref();
  const { randomUUIDv7 } = crypto;
  crypto.randomUUIDv7 = (options) => shiftedId(randomUUIDv7(options));
  syncBuiltinESMExports();
  // `Date()` without `new` returns a string.
  globalThis.Date = new Proxy(ShiftedDate, { apply: () => new ShiftedDate().toString() });
}
