/** Files of received messages whose provider fails: what is available is attached in the end, and the message takes effect once. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb, unscopedDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { createLogger } from "@freehold/kit/observability/log";
import { anEmail, anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { testClients } from "../../../test/clients.ts";
import type { MediaFetcher } from "../../conversations/files/fetch-media.ts";
import { receiveMessage } from "../../conversations/receive-message.ts";
import { database as definition } from "../../database.ts";
import { processEvent } from "./process-events.ts";
import { processFilesOf } from "./process-files.ts";
import { findSecondsToNextEvent, type DueEvent } from "../webhook-event.queries.ts";
import { completeReceipt, insertReceipt, slotOf } from "../webhook-receipt.queries.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const clients = testClients();
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
const LAST_ATTEMPT = { attempts: 7 };
/** The jobs of the system leave an event alone that is not due for long. */
const later = () => new Date(Date.now() + 3_600_000);
const fetchNothing: MediaFetcher = () => Promise.reject(new Error("No picture is expected."));
const fetchAll: MediaFetcher = () => Promise.resolve({ content: png });
const fetchSecond: MediaFetcher = (url) => (url.endsWith("/2") ? fetchAll(url) : Promise.reject(new Error("The provider is silent.")));

/** Stores the event of a text message with two pictures of a tenant, which is processed by the test alone. */
async function anEvent(office: Office, body: string) {
  const phone = `+1518${String(Math.floor(Math.random() * 10_000_000)).padStart(7, "2")}`;
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
  const pictures = { NumMedia: "2", MediaUrl0: "https://provider.example/1", MediaUrl1: "https://provider.example/2" };
  const form = new URLSearchParams({ MessageSid: `SM${newId()}`, From: phone, To: "+15185550100", Body: body, ...pictures });
  const receipt = { id: newId(), receiver: "sms_inbound" as const, providerEventId: newId(), receivedAt: later(), slot: slotOf(later(), 30) };
  await insertReceipt(unscopedDb(database), { ...receipt, signature: null, contentType: null, body: Buffer.from(form.toString()) });
  await completeReceipt(unscopedDb(database), receipt.id, "routed", null);
  const event: DueEvent = { ...receipt, id: newId(), receiptId: receipt.id, attempts: 0, receivedAt: new Date().toISOString() };
  const db = new OrgDb(database, systemPrincipal(office.organizationId));
  await db.all(sql`insert into webhook_event (organization_id, id, created_at, updated_at, receipt_id, receiver, provider_event_id, status, attempts, received_at, next_attempt_at)
    values (${office.organizationId}, ${event.id}, now(), now(), ${receipt.id}, ${event.receiver}, ${event.providerEventId}, 'received', 0, ${event.receivedAt}, ${later()})`);
  const dependencies = { clients, keptDays: 30, log: createLogger("test", "silent") };
  return {
    db,
    tenant,
    processContent: () => processEvent(db, dependencies, event),
    /** Stores the files. After a failure the event is postponed by seconds, and then kept from the jobs of the system again. */
    processFiles: async (fetchMedia: MediaFetcher, changes: Partial<DueEvent> = {}) => {
      const isDone = await processFilesOf(db, { ...dependencies, fetchMedia }, { ...event, ...changes });
      await db.all(
        sql`update webhook_event set next_attempt_at = ${later()} where organization_id = ${office.organizationId} and id = ${event.id} and next_attempt_at is not null`,
      );
      return isDone;
    },
    reopen: () =>
      db.all(
        sql`update webhook_event set status = 'received', next_attempt_at = ${later()} where organization_id = ${office.organizationId} and id = ${event.id}`,
      ),
    status: async () =>
      (await db.first(sql<{ status: string }>`select status from webhook_event where organization_id = ${office.organizationId} and id = ${event.id}`))!.status,
    message: async () => {
      const { conversations } = await office.call("listConversations", { query: { participantId: tenant.id } });
      return (await office.call("getConversation", { params: { id: conversations[0]!.id } })).messages.find(({ id }) => id === event.id)!;
    },
  };
}

describe("the files of a received message", () => {
  test("are those that are available after the last attempt, the others are named, and a replay adds them", async () => {
    const event = await anEvent(await anOffice(), "It leaks here.");
    expect(await event.processContent()).toBe(true);
    expect(await event.processFiles(fetchSecond)).toBe(false);
    expect(await event.message()).toMatchObject({ documentIds: [], metadata: { pendingAttachments: 2 } });
    expect(await event.processFiles(fetchSecond, LAST_ATTEMPT)).toBe(true);
    const { documentIds, metadata } = await event.message();
    expect([documentIds.length, metadata, await event.status()]).toEqual([
      1,
      { mediaCount: 2, droppedAttachments: [{ name: "picture-1", reason: "not_available" }] },
      "failed",
    ]);
    await event.reopen();
    expect(await event.processFiles(fetchAll)).toBe(true);
    const replayed = await event.message();
    expect([replayed.documentIds.length, replayed.metadata, await event.status()]).toEqual([2, { mediaCount: 2 }, "processed"]);
  });

  test("are named by their number once the content of the event has expired", async () => {
    const event = await anEvent(await anOffice(), "It leaks here.");
    await event.processContent();
    await event.processFiles(fetchNothing, { receiptId: newId() });
    expect([(await event.message()).metadata, await event.status()]).toEqual([
      { mediaCount: 2, droppedAttachments: [{ name: "2 files", reason: "not_available" }] },
      "failed",
    ]);
  });

  test("are stored without the message taking effect again: a STOP does not end texts after a later START", async () => {
    const event = await anEvent(await anOffice(), "STOP");
    const optOuts = () => event.db.all(sql`select 1 from sms_opt_out where organization_id = ${event.db.organizationId} and ended_at is null`);
    await event.processContent();
    expect(await optOuts()).toHaveLength(1);
    expect(await event.processFiles(fetchSecond)).toBe(false);
    await receiveMessage(event.db, clients, { channel: "sms", from: event.tenant.phone!, to: [], subject: null, body: "START", externalId: newId() });
    expect(await optOuts()).toHaveLength(0);
    expect(await event.processFiles(fetchAll)).toBe(true);
    expect([await optOuts(), (await event.message()).documentIds.length]).toEqual([[], 2]);
  });

  test("wait for nothing but each other: an event whose message exists is left to their job", async () => {
    const event = await anEvent(await anOffice(), "It leaks here.");
    const dueIn = async (stage: "content" | "files") => (await findSecondsToNextEvent(event.db, stage)) !== null;
    expect([await dueIn("content"), await dueIn("files")]).toEqual([true, false]);
    await event.processContent();
    expect([await dueIn("content"), await dueIn("files")]).toEqual([false, true]);
  });
});
