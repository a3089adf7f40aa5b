/** Access that has ended before a gateway starts, as read from a separate NATS server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { connectBus, ensureStream, type EventBus } from "@freehold/kit/events/nats";
import { createLogger } from "@freehold/kit/observability/log";
import type { SupervisedProcess } from "../deploy/system/supervise.ts";
import { tokenChanges } from "../gateway/src/auth/token-changes.ts";
import { startHub } from "../gateway/src/events/hub.ts";
import { startOpenNats } from "./support/events/bus.ts";
import { keysOf, messageOf } from "./support/events/messages.ts";
import { running } from "./support/running.ts";

const dir = mkdtempSync(join(tmpdir(), "freehold-access-"));
const { dataDir } = running();
const organizationId = newId();
let server: SupervisedProcess;
let bus: EventBus;

async function publish(type: "service_key.revoked" | "unit.deleted", entityId: string, data: object, isSigned = true): Promise<void> {
  const { subject, payload, headers } = messageOf({ id: newId(), type, organizationId, entityId, data }, dataDir);
  await bus.js.publish(subject, payload, isSigned ? { headers } : {});
}

beforeAll(async () => {
  const nats = await startOpenNats(dir, "-js", "-sd", dir);
  ({ server } = nats);
  bus = await connectBus(nats.options);
  await ensureStream(bus);
});
afterAll(async () => {
  await bus?.connection.close();
  await server?.stop();
  rmSync(dir, { recursive: true, force: true });
});

test("a gateway that starts refuses the tokens of access that has ended before, as told by signed messages of identity only", async () => {
  const [revoked, active] = [newId(), newId()];
  await publish("service_key.revoked", revoked, { accessVersion: 1 });
  await publish("service_key.revoked", active, { accessVersion: 1 }, false);
  await publish("unit.deleted", active, { accessVersion: 1 });
  await publish("service_key.revoked", revoked, { accessVersion: 2 });
  const versions = tokenChanges();
  const hub = startHub({ bus, keys: keysOf("gateway", dataDir), tokenChanges: versions, log: createLogger("test", "silent") });
  try {
    await hub.reading;
    const isCurrent = (userId: string, accessVersion: number) => versions.isCurrent({ userId, accessVersion });
    expect([isCurrent(revoked, 1), isCurrent(revoked, 2), isCurrent(active, 0)]).toEqual([false, true, true]);
  } finally {
    hub.stop();
  }
});
