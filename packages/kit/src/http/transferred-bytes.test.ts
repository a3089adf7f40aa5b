import { expect, test } from "@jest/globals";
import { setImmediate as nextTurn } from "node:timers/promises";
import { countTransferred } from "./transferred-bytes.ts";

const MIB = 1_048_576;

/** Returns the largest memory of buffers, in MiB, while 256 MiB are transferred in chunks that are not kept. */
async function maxBufferMib(transferred: (chunk: Buffer) => void): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let max = 0;
  for (let chunk = 0; chunk < 4_096; chunk++) {
    transferred(Buffer.allocUnsafeSlow(65_536).fill(1));
    if (chunk % 16 === 0) await nextTurn();
    max = Math.max(max, process.memoryUsage().arrayBuffers - before);
  }
  return max / MIB;
}

test("countTransferred keeps the memory of transferred buffers below 32 MiB, less than without it", async () => {
  const counted = await maxBufferMib(countTransferred);
  expect(counted).toBeLessThan(32);
  expect(await maxBufferMib(() => undefined)).toBeGreaterThan(counted);
});
