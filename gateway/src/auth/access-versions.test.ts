import { expect, test } from "@jest/globals";
import { accessVersions } from "./access-versions.ts";

const userId = "01a1fe1e-13e2-7a3a-a04b-326092ff614d";

test("tokens issued before a change of access are refused, later ones and those of others pass, also when events are repeated", () => {
  const versions = accessVersions();
  const isCurrent = (accessVersion?: number, id = userId) => versions.isCurrent({ userId: id, ...(accessVersion !== undefined && { accessVersion }) });
  expect([isCurrent(), isCurrent(0), isCurrent(3)]).toEqual([true, true, true]);
  versions.learn({ entityId: userId, data: { accessVersion: 2 } });
  expect([isCurrent(), isCurrent(1), isCurrent(2), isCurrent(3)]).toEqual([false, false, true, true]);
  versions.learn({ entityId: userId, data: { accessVersion: 1 } });
  versions.learn({ entityId: userId, data: { role: "admin" } });
  expect([isCurrent(1), isCurrent(2), isCurrent(1, "01a1fe1e-13e2-7a3a-a04b-326092ff614e")]).toEqual([false, true, true]);
});
