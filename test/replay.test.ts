/** Replay of events that are older than the gateway's buffer, from a separate NATS server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { newId } from "@freehold/kit/db/entity";
import type { FairTurns } from "@freehold/kit/fair-turns";
import { connectBus, ensureStream, type EventBus } from "@freehold/kit/events/nats";
import { createLogger } from "@freehold/kit/observability/log";
import type { SupervisedProcess } from "../deploy/system/supervise.ts";
import { tokenChanges } from "../gateway/src/auth/token-changes.ts";
import { startHub, type Hub } from "../gateway/src/events/hub.ts";
import { replayTurns, resume, type ResetReason } from "../gateway/src/events/replay.ts";
import { startOpenNats } from "./support/events/bus.ts";
import { keysOf, messageOf } from "./support/events/messages.ts";
import { running } from "./support/running.ts";
import { eventually } from "./support/eventually.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-replay-"));
const { dataDir } = running();
const keys = keysOf("gateway", dataDir);
const organizationId = newId();
let server: SupervisedProcess;
let bus: EventBus;
let hub: Hub;
/** Ids of the published events. */
const published: string[] = [];

async function publish(isSigned: boolean): Promise<void> {
  const event = { id: newId(), type: "unit.deleted", organizationId, data: {} };
  const { subject, payload, headers } = messageOf(event, dataDir);
  await bus.js.publish(subject, payload, { msgID: event.id, ...(isSigned && { headers }) });
  if (isSigned) published.push(event.id);
}

beforeAll(async () => {
  const nats = await startOpenNats(dir, "-js", "-sd", dir);
  ({ server } = nats);
  bus = await connectBus(nats.options);
  await ensureStream(bus);
  for (const isSigned of [true, false, true]) await publish(isSigned);
  // The hub starts after these messages, so its buffer does not contain them.
  hub = startHub({ bus, keys, tokenChanges: tokenChanges(), log: createLogger("test", "silent") });
  await eventually("reading hub", () => hub.isReading);
});
afterAll(async () => {
  hub?.stop();
  await bus?.connection.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/**
 * Returns the ids of the events that a client receives when it resumes after a sequence, or the reason if the stream is reset.
 * Message n of the stream has the sequences from n * 64 on, so that 63 precedes the first message.
 */
async function resumeAfter(sequence: number, turns = replayTurns()): Promise<string[] | ResetReason> {
  const resumption = await resume({ bus, hub, keys, replayTurns: turns }, systemPrincipal(organizationId), `${hub.epoch}-${sequence}`);
  if (typeof resumption === "string") return resumption;
  const ids: string[] = [];
  for await (const { event } of resumption.missed) ids.push(event.id);
  return ids;
}

test("a client that connected to the empty stream receives every event except unsigned ones", async () => {
  expect(await resumeAfter(63)).toEqual(published);
});

test("a client receives the events after its last one, none at the end of the stream, and a reset after an unknown one", async () => {
  expect(await resumeAfter(64)).toEqual(published.slice(1));
  expect(await resumeAfter(3 * 64 + 63)).toEqual([]);
  expect(await resumeAfter(4 * 64)).toBe("unknown_id");
});

test("clients that resume together read one batch of an organization's events at a time", async () => {
  const messageCount = 3 + 250;
  await Promise.all(Array.from({ length: 250 }, () => publish(true)));
  const turns = replayTurns();
  let [reading, most, batches] = [0, 0, 0];
  const observed: FairTurns = {
    run: (holder, read) =>
      turns.run(holder, async (turn) => {
        most = Math.max(most, ++reading);
        batches++;
        return read(turn).finally(() => void reading--);
      }),
  };
  const replays = await Promise.all(Array.from({ length: 5 }, () => resumeAfter(63, observed)));
  for (const ids of replays) expect((ids as string[]).toSorted()).toEqual(published.toSorted());
  expect([most, batches]).toEqual([1, 5 * Math.ceil(messageCount / 100)]);
});

test("a client whose next events are no longer stored receives the reason too_old", async () => {
  const { name } = await ensureStream(bus);
  await bus.manager.streams.purge(name, { seq: 3 });
  expect(await resumeAfter(64)).toBe("too_old");
});
