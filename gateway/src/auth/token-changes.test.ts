import { expect, test } from "@jest/globals";
import { tokenChanges } from "./token-changes.ts";

const userId = "01a1fe1e-13e2-7a3a-a04b-326092ff614d";
const organizationId = "01a1fe1e-13e2-7a3a-a04b-326092ff614f";
const occurredAt = "2026-03-01T12:00:00.000Z";

test("tokens issued before a change of access are refused, later ones and those of others pass, also when events are repeated", () => {
  const changes = tokenChanges();
  const learn = (data: Record<string, unknown>) => changes.learn({ type: "user.updated", entityId: userId, occurredAt, data });
  const isCurrent = (accessVersion?: number, id = userId) => changes.isCurrent({ userId: id, ...(accessVersion !== undefined && { accessVersion }) });
  expect([isCurrent(), isCurrent(0), isCurrent(3)]).toEqual([true, true, true]);
  learn({ accessVersion: 2 });
  expect([isCurrent(), isCurrent(1), isCurrent(2), isCurrent(3)]).toEqual([false, false, true, true]);
  learn({ accessVersion: 1 });
  learn({ role: "admin" });
  expect([isCurrent(1), isCurrent(2), isCurrent(1, "01a1fe1e-13e2-7a3a-a04b-326092ff614e")]).toEqual([false, true, true]);
});

test("the time zone of an organization is that of its latest change, also when events are repeated", () => {
  const changes = tokenChanges();
  const learn = (timezone: string | undefined, minute: string) =>
    changes.learn({ type: "organization.updated", entityId: organizationId, occurredAt: `2026-03-01T12:${minute}:00.000Z`, data: { changed: [], timezone } });
  learn(undefined, "00");
  expect(changes.timezoneOf(organizationId)).toBeUndefined();
  learn("Pacific/Kiritimati", "02");
  learn("America/New_York", "01");
  expect([changes.timezoneOf(organizationId), changes.timezoneOf(userId)]).toEqual(["Pacific/Kiritimati", undefined]);
});
