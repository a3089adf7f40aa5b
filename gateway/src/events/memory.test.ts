import { describe, expect, test } from "@jest/globals";
import type { Streamed } from "./hub.ts";
import { memory } from "./memory.ts";

const [ours, theirs] = ["ours", "theirs"];
const streamed = (sequence: number, organizationId: string) => ({ sequence, event: { organizationId }, frame: "" }) as unknown as Streamed;
const sequences = (found: Streamed[] | undefined) => found?.map(({ sequence }) => sequence);

describe("memory", () => {
  test("knows what one organization missed, in order, and nothing of another", () => {
    const recent = memory();
    for (let sequence = 1; sequence <= 10; sequence++) recent.keep(streamed(sequence, sequence % 2 ? ours : theirs));
    expect(sequences(recent.since(ours, 4))).toEqual([5, 7, 9]);
    expect(sequences(recent.since(theirs, 10))).toEqual([]);
    expect(sequences(recent.since(ours, 0))).toEqual([1, 3, 5, 7, 9]);
  });

  test("says when it does not reach back far enough, and is right as far as it does", () => {
    const recent = memory();
    for (let sequence = 1; sequence <= 25_000; sequence++) recent.keep(streamed(sequence, ours));
    expect(recent.since(ours, 0)).toBeUndefined();
    expect(recent.since(ours, 14_999)).toBeUndefined();
    expect(sequences(recent.since(ours, 24_997))).toEqual([24_998, 24_999, 25_000]);
    for (let after = 20_000; after <= 25_000; after += 500) expect(recent.since(ours, after)!.length).toBe(25_000 - after);
  });

  test("knows nothing from before it began anew", () => {
    const recent = memory();
    recent.keep(streamed(7, ours));
    recent.forget(3);
    expect(recent.since(ours, 2)).toBeUndefined();
    expect(sequences(recent.since(ours, 3))).toEqual([]);
  });
});
