import { expect, test } from "@jest/globals";
import { idleCollector } from "./garbage-collection.ts";

const MIB = 1_048_576;

/** Simulates a process that holds 50 MiB after a collection. */
function aProcess() {
  const state = { workedShare: 0.01, heldBytes: 120 * MIB, collections: 0 };
  const check = idleCollector({
    workedShare: () => state.workedShare,
    heldBytes: () => state.heldBytes,
    collect: () => {
      state.collections += 1;
      state.heldBytes = 50 * MIB;
    },
  });
  return Object.assign(state, { check });
}

test("the garbage of the start is collected once the process is idle", () => {
  const process = aProcess();
  process.workedShare = 0.5;
  process.check();
  expect(process.collections).toBe(0);
  process.workedShare = 0.01;
  process.check();
  expect([process.collections, process.heldBytes]).toEqual([1, 50 * MIB]);
});

test("later garbage is collected at most every ten checks, and only when there is enough of it", () => {
  const process = aProcess();
  process.check();
  process.heldBytes = 55 * MIB;
  for (let checks = 0; checks < 100; checks++) process.check();
  expect(process.collections).toBe(1);
  for (let checks = 0; checks < 100; checks++) {
    process.heldBytes = 120 * MIB;
    process.check();
  }
  expect(process.collections).toBe(11);
});
