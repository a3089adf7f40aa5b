import { describe, expect, test } from "@jest/globals";
import type { Envelope } from "@freehold/contract/events";
import { recentEvents } from "./recent-events.ts";
import type { StreamedEvent } from "./streamed-event.ts";

const ours = "00000000-0000-7000-8000-00000000000a";
const theirs = "00000000-0000-7000-8000-00000000000b";
const envelope: Envelope = {
  id: "00000000-0000-7000-8000-000000000001",
  type: "payment.received",
  organizationId: ours,
  occurredAt: "2026-06-01T12:00:00.000Z",
  entityType: "payment",
  entityId: "00000000-0000-7000-8000-000000000002",
  actorUserId: null,
  requestId: null,
  data: {},
  audience: { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
};
const anEvent = (sequence: number, organizationId: string): StreamedEvent => ({ sequence, event: { ...envelope, organizationId }, frameFor: () => "" });
const sequences = (events: StreamedEvent[] | undefined) => events?.map(({ sequence }) => sequence);

describe("recentEvents", () => {
  test("returns one organization's events in order, and none of another", () => {
    const recent = recentEvents();
    for (let sequence = 1; sequence <= 10; sequence++) recent.add(anEvent(sequence, sequence % 2 ? ours : theirs));
    expect(sequences(recent.after(ours, 4))).toEqual([5, 7, 9]);
    expect(sequences(recent.after(theirs, 10))).toEqual([]);
    expect(sequences(recent.after(ours, 0))).toEqual([1, 3, 5, 7, 9]);
  });

  test("returns undefined when later events have left the buffer, and otherwise every later event", () => {
    const recent = recentEvents();
    for (let sequence = 1; sequence <= 25_000; sequence++) recent.add(anEvent(sequence, ours));
    expect(recent.after(ours, 0)).toBeUndefined();
    expect(recent.after(ours, 14_999)).toBeUndefined();
    expect(sequences(recent.after(ours, 24_997))).toEqual([24_998, 24_999, 25_000]);
    for (let after = 20_000; after <= 25_000; after += 500) expect(recent.after(ours, after)!.length).toBe(25_000 - after);
  });

  test("returns nothing from before a reset", () => {
    const recent = recentEvents();
    recent.add(anEvent(7, ours));
    recent.reset(3);
    expect(recent.after(ours, 2)).toBeUndefined();
    expect(sequences(recent.after(ours, 3))).toEqual([]);
  });
});
