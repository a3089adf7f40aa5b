import { expect, test } from "@jest/globals";
import { setImmediate as soon } from "node:timers/promises";
import { wentBy } from "./passing.ts";

const MIB = 1_048_576;

/** The most that buffers weigh, in MiB, while 256 MiB pass by in pieces that nobody holds. */
async function heaviest(passed: (bytes: number) => void): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let piece = 0; piece < 4_096; piece++) {
    passed(Buffer.allocUnsafeSlow(65_536).fill(1).length);
    if (piece % 16 === 0) await soon();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  return most / MIB;
}

test("the buffers of what went by are let go of soon, which by themselves they are not", async () => {
  const told = await heaviest(wentBy);
  expect(told).toBeLessThan(32);
  expect(await heaviest(() => undefined)).toBeGreaterThan(told);
});
