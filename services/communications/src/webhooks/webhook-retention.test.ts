/** Retention of webhook events: their content and their ids. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { unscopedDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { eventually } from "../../../../test/support/eventually.ts";
import { running } from "../../../../test/support/running.ts";
import { database as definition } from "../database.ts";
import { completeReceipt, deleteExpiredReceipts, findBody, insertReceipt, slotOf } from "./webhook-receipt.queries.ts";

const DAY_MS = 86_400_000;
let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

/** Stores an event that was received some days ago and is done. */
async function aReceipt(daysAgo: number) {
  const db = unscopedDb(database);
  const receivedAt = new Date(Date.now() - daysAgo * DAY_MS);
  const receipt = { id: newId(), receiver: "payment_provider" as const, providerEventId: newId(), receivedAt, slot: slotOf(receivedAt, 30) };
  await insertReceipt(db, { ...receipt, signature: null, contentType: null, body: Buffer.from("{}") });
  await completeReceipt(db, receipt.id, "ignored", "stored_only");
  return receipt;
}

/** Days ago of the middle of the slot of five days before those that are kept for 30 days. Content of earlier days would be in a slot that is in use again. */
const daysAgoOfExpiredSlot = (): number => 33 + (Math.floor(Date.now() / DAY_MS) % 5);

test("the content of events is deleted after its days, and their ids after more", async () => {
  const db = unscopedDb(database);
  const [recent, old, ancient] = [await aReceipt(1), await aReceipt(daysAgoOfExpiredSlot()), await aReceipt(1_200)];
  await eventually("deleted content", async () => {
    // Another connection may be using the partition.
    await deleteExpiredReceipts(db, { keptDays: 30, idDays: 1_095 }).catch(() => undefined);
    return (await findBody(db, old.id)) === undefined;
  });
  expect((await findBody(db, recent.id))?.toString()).toBe("{}");
  const ids = [recent.id, old.id, ancient.id];
  const kept = await db.all(sql<{ id: string }>`select id from webhook_receipt where id = any(${ids}::uuid[]) order by received_at desc`);
  expect(kept.map(({ id }) => id)).toEqual([recent.id, old.id]);
});

test("the slots of the content differ for all days that are kept", () => {
  const days = [1, 7, 30, 365];
  for (const keptDays of days) {
    const slots = Array.from({ length: keptDays }, (_, day) => slotOf(new Date(Date.UTC(2026, 0, 1) + day * DAY_MS), keptDays));
    const changes = slots.filter((slot, index) => index === 0 || slot !== slots[index - 1]);
    expect(new Set(changes).size).toBe(changes.length);
  }
});
