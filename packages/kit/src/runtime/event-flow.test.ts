import { expect, test } from "@jest/globals";
import { isNatsResponding } from "./event-flow.ts";

test("a NATS server that does not answer counts as not responding", async () => {
  expect(await isNatsResponding({ isBusUp: () => new Promise<boolean>(() => undefined) }, 10)).toBe(false);
  expect(await isNatsResponding({ isBusUp: () => Promise.resolve(true) })).toBe(true);
});
