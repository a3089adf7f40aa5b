import { describe, expect, test } from "@jest/globals";
import { eventsFor } from "./collection.rules.ts";

const window = (actors: Record<string, number>) => ({
  total: Object.values(actors).reduce((sum, count) => sum + count, 0),
  actors: Object.fromEntries(Object.entries(actors).map(([actor, count]) => [actor, { count, entityId: `latest of ${actor}` }])),
});
const latest = (countedFrom: number, eventCount: number, isRead: boolean) => ({ countedFrom, eventCount, isRead });

describe("eventsFor", () => {
  test.each([
    ["the first event", window({ bo: 1 }), undefined, { countedFrom: 0, eventCount: 1, entityId: "latest of bo", actorUserId: "bo", continuesLatest: false }],
    [
      "an event of the system",
      window({ system: 1 }),
      undefined,
      { countedFrom: 0, eventCount: 1, entityId: "latest of system", actorUserId: null, continuesLatest: false },
    ],
    ["several events of one actor", window({ bo: 5 }), undefined, { countedFrom: 0, eventCount: 5, entityId: null, actorUserId: "bo", continuesLatest: false }],
    [
      "events of several actors",
      window({ bo: 2, cy: 1 }),
      undefined,
      { countedFrom: 0, eventCount: 3, entityId: null, actorUserId: null, continuesLatest: false },
    ],
    [
      "an event beside those of the user",
      window({ ana: 4, bo: 1 }),
      undefined,
      { countedFrom: 0, eventCount: 1, entityId: "latest of bo", actorUserId: "bo", continuesLatest: false },
    ],
    ["events of the user alone", window({ ana: 4 }), undefined, undefined],
    [
      "further events while the notification is unread",
      window({ bo: 5 }),
      latest(0, 2, false),
      { countedFrom: 0, eventCount: 5, entityId: null, actorUserId: "bo", continuesLatest: true },
    ],
    [
      "further events after it was read",
      window({ bo: 5 }),
      latest(0, 2, true),
      { countedFrom: 2, eventCount: 3, entityId: null, actorUserId: "bo", continuesLatest: false },
    ],
    [
      "one further event after it was read",
      window({ bo: 3 }),
      latest(0, 2, true),
      { countedFrom: 2, eventCount: 1, entityId: "latest of bo", actorUserId: "bo", continuesLatest: false },
    ],
    ["no further events", window({ bo: 5 }), latest(2, 3, false), undefined],
    ["no further events after it was read", window({ bo: 5 }), latest(2, 3, true), undefined],
    ["fewer events than another run has seen", window({ bo: 4 }), latest(0, 5, false), undefined],
  ])("returns %s", (_, counted, notification, expected) => expect(eventsFor("ana", counted, notification)).toEqual(expected));
});
