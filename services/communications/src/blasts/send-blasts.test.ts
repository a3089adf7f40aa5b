import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { secondsUntil } from "@freehold/kit/jobs/run-delay";
import { createLogger } from "@freehold/kit/observability/log";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { withShiftedClock } from "../../../../test/support/clock/shifted-clock.ts";
import { testClients } from "../../test/clients.ts";
import { startSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { database as definition } from "../database.ts";
import { deliverQueued } from "../messages/deliver-messages.ts";
import { smtpMailer, type Mailer } from "../messages/mailer.ts";
import type { MessageTransports } from "../messages/transports.ts";
import { sendBlasts } from "./send-blasts.ts";
import { createTranslator } from "./translator.ts";
import { completeVersions } from "./versions.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
let server: SmtpServer;
let mailer: Mailer;
let transports: MessageTransports;
const clients = testClients();
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 8);
  server = await startSmtpServer();
  mailer = smtpMailer(server.url, createLogger("test", "silent"));
  transports = { from: "Freehold <no-reply@freehold.example>", mailer, devOutbox: undefined };
});
afterAll(async () => {
  mailer.close();
  await server.close();
  await database.close();
});

/** Creates a blast to tenants and queues it without the job of the system under test. */
async function aQueuedBlast(tenantCount: number) {
  const office = await anOffice();
  const db = new OrgDb(database, systemPrincipal(office.organizationId));
  const emails = Array.from({ length: tenantCount }, anEmail);
  const tenantIds = [];
  for (const email of emails) tenantIds.push((await office.call("createTenant", { body: { fullName: "Ana Ruiz", email } })).tenant.id);
  const { blast } = await office.call("createBlast", { body: { title: "Water", body: "Off at noon.", channels: ["email"], target: { tenantIds } } });
  await db.all(sql`update blast set status = 'queued', queued_at = now() where organization_id = ${db.organizationId} and id = ${blast.id}`);
  const run = () => sendBlasts(db, { clients, transports });
  const deliver = async () => {
    await db.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'queued'`);
    await deliverQueued(db, transports, clients);
  };
  const read = async () => (await office.call("getBlast", { params: { id: blast.id } })).blast;
  const received = () => emails.map((email) => server.mails.filter((mail) => mail.includes(`To: ${email}`)).length);
  return { office, db, id: blast.id, tenantIds, run, deliver, read, received };
}

/** Runs work a minute later by the monotonic clock, so that the progress is due. */
async function aMinuteLater<T>(work: () => Promise<T>): Promise<T> {
  const monotonic = performance.now.bind(performance);
  performance.now = () => monotonic() + 60_000;
  return work().finally(() => (performance.now = monotonic));
}

describe("sendBlasts", () => {
  test("queues each message once when several runs race, and completes the blast after the first attempts", async () => {
    const { run, deliver, read, received } = await aQueuedBlast(12);
    await Promise.all([run(), run(), run()]);
    expect(await read()).toMatchObject({ status: "sending", recipientStats: { pending: 12, total: 12 } });
    await deliver();
    await run();
    expect(await read()).toMatchObject({ status: "completed", recipientStats: { dispatched: 12, failed: 0, pending: 0, total: 12 } });
    expect(received()).toEqual(Array(12).fill(1));
  });

  test("publishes the progress of a blast when it changes, also while its messages are attempted, and its end", async () => {
    const { db, id, run, deliver } = await aQueuedBlast(2);
    const events = () =>
      db.all(sql<{ type: string; pending: number; dispatched: number }>`select envelope ->> 'type' as type, (envelope -> 'data' ->> 'pending')::int as pending,
        (envelope -> 'data' ->> 'dispatched')::int as dispatched from outbox
        where organization_id = ${db.organizationId} and envelope ->> 'entityId' = ${id} order by position`);
    await run();
    const ofFirstRun = await events();
    expect(ofFirstRun.at(-1)).toEqual({ type: "blast.progress", pending: 2, dispatched: 0 });
    await aMinuteLater(run);
    expect(await events()).toEqual(ofFirstRun);
    const [first] = await db.all(sql<{
      id: string;
    }>`update message set status = 'sent', text = null, html = null, next_attempt_at = null where organization_id = ${db.organizationId}
      and id in (select message_id from blast_recipient where blast_id = ${id} order by id limit 1) returning id`);
    expect(first).toBeDefined();
    await aMinuteLater(() => aMinuteLater(run));
    expect((await events()).slice(ofFirstRun.length)).toEqual([{ type: "blast.progress", pending: 1, dispatched: 1 }]);
    await deliver();
    await run();
    expect((await events()).at(-1)).toEqual({ type: "blast.completed", pending: 0, dispatched: 2 });
  });

  test("continues a run that died while the recipients were determined, and sends nothing twice", async () => {
    const { db, id, tenantIds, run, deliver, read, received } = await aQueuedBlast(6);
    // The dead run inserted two recipients and queued the message of neither.
    const rows = tenantIds.slice(0, 2).map((tenantId, index) => ({ id: `${id.slice(0, -1)}${index}`, tenantId }));
    await db.all(sql`insert into blast_recipient (organization_id, id, created_at, updated_at, blast_id, tenant_id, channel, language, status)
      select ${db.organizationId}, id, now(), now(), ${id}, "tenantId", 'email', 'en', 'pending' from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as input (id uuid, "tenantId" uuid)`);
    await run();
    await db.all(sql`update blast set status = 'sending' where organization_id = ${db.organizationId} and id = ${id}`);
    await run();
    await deliver();
    await run();
    expect(await read()).toMatchObject({ status: "completed", recipientStats: { dispatched: 6, total: 6 } });
    expect(received()).toEqual(Array(6).fill(1));
  });

  test("sends a blast although an earlier one throws, and reports the failure", async () => {
    const { office, db, id, tenantIds, run, read } = await aQueuedBlast(1);
    const { blast: broken } = await office.call("createBlast", { body: { title: "Gas", body: "Off.", channels: ["email"], target: { tenantIds } } });
    await db.all(sql`update blast set status = 'queued', queued_at = now() - interval '1 hour', target = '{"propertyIds":["broken"],"unitIds":[],"tenantIds":[]}'
      where organization_id = ${db.organizationId} and id = ${broken.id}`);
    await expect(run()).rejects.toThrow("1 of the records could not be processed");
    expect(await read()).toMatchObject({ id, status: "sending", recipientStats: { pending: 1, total: 1 } });
  });

  test("fails when every message is refused, and sends the failed messages again on request", async () => {
    const { office, id, run, deliver, read, received } = await aQueuedBlast(2);
    await run();
    server.refuseRecipients("550 blocked by policy");
    await deliver();
    server.refuseRecipients(undefined);
    await run();
    expect(await read()).toMatchObject({ status: "failed", error: expect.any(String), recipientStats: { failed: 2 } });
    const { recipients } = await office.call("listBlastRecipients", { params: { id }, query: { status: "failed" } });
    expect(recipients).toMatchObject([{ error: "rejected_550" }, { error: "rejected_550" }]);
    // The system under test continues the blast with its development outbox.
    await office.call("retryBlast", { params: { id } });
    expect(received()).toEqual([0, 0]);
  });

  test("keeps a message failed whose address no longer accepts e-mail, until the address is corrected and the message is sent again", async () => {
    const { office, id, tenantIds, run, deliver, read } = await aQueuedBlast(2);
    await run();
    server.refuseRecipients("550 5.1.1 no such user", new RegExp((await office.call("getTenant", { params: { id: tenantIds[0]! } })).tenant.email!));
    await deliver();
    server.refuseRecipients(undefined);
    await run();
    const failed = { status: "completed", recipientStats: { dispatched: 1, failed: 1, pending: 0, total: 2 } };
    expect(await read()).toMatchObject(failed);
    const refused = await office.attempt("retryBlast", { params: { id } });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([409, "invalid_transition", expect.stringContaining("Correct their addresses")]);
    expect(await read()).toMatchObject(failed);
    await office.call("updateTenant", { params: { id: tenantIds[0]! }, body: { email: anEmail() } });
    expect((await office.call("retryBlast", { params: { id } })).blast).toMatchObject({
      status: "sending",
      recipientStats: { failed: 0, pending: 1, total: 2 },
    });
  });

  test.each([-100, 100])("sends a scheduled blast at its time, also in a process whose clock is ahead by %i s", async (secondsAhead) => {
    const { office, db, id, run, read } = await aQueuedBlast(1);
    const schedule = (seconds: number) =>
      db.all(sql`update blast set status = 'scheduled', queued_at = null, scheduled_at = now() + make_interval(secs => ${seconds})
        where organization_id = ${office.organizationId} and id = ${id}`);
    await schedule(300);
    const delay = await withShiftedClock(1_000 * secondsAhead, async () => secondsUntil(await run()));
    expect(Math.abs(delay - 300)).toBeLessThan(60);
    await schedule(-1);
    await withShiftedClock(1_000 * secondsAhead, run);
    expect(await read()).toMatchObject({ status: "sending" });
  });

  test("translates into languages that the recipients have got since it was requested, and names those whose translation failed", async () => {
    const { office, db, id, tenantIds, read } = await aQueuedBlast(2);
    await office.call("updateTenant", { params: { id: tenantIds[1]! }, body: { preferredLanguage: "fr" } });
    await db.all(sql`update blast set auto_translate = true where organization_id = ${db.organizationId} and id = ${id}`);
    await sendBlasts(db, { clients, transports, translate: ({ title, body }, language) => Promise.resolve({ title: `${language}: ${title}`, body }) });
    const french = { language: "fr", title: "fr: Water", body: "Off at noon.", aiTranslated: true };
    expect(await read()).toMatchObject({ status: "sending", error: null, versions: [french], languageCounts: { en: 1, fr: 1 } });
    const subjects = await db.all(
      sql`select subject from message where organization_id = ${db.organizationId} and recipient_id = any(${tenantIds}) order by subject`,
    );
    expect(subjects.map((message) => (message as { subject: string }).subject)).toEqual(["Water", "fr: Water"]);

    const later = await aQueuedBlast(1);
    await later.office.call("updateTenant", { params: { id: later.tenantIds[0]! }, body: { preferredLanguage: "fr" } });
    await later.db.all(sql`update blast set auto_translate = true where organization_id = ${later.db.organizationId} and id = ${later.id}`);
    const run = () => sendBlasts(later.db, { clients, transports, translate: () => Promise.reject(new Error("The translation service is down.")) });
    await run();
    await later.deliver();
    await run();
    expect(await later.read()).toMatchObject({ status: "completed", versions: [], error: expect.stringContaining("got the original: fr.") });
  });

  test("sends one message to an address that several tenants share, and counts each of them as reached", async () => {
    const { office, db, run, deliver } = await aQueuedBlast(1);
    const email = anEmail();
    const ids = [];
    for (const address of [email, email.toUpperCase()])
      ids.push((await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: address } })).tenant.id);
    const body = { title: "Gas", body: "Off.", channels: ["email" as const], target: { tenantIds: ids } };
    const { blast } = await office.call("createBlast", { body });
    expect((await office.call("previewBlast", { body })).preview.recipientCount).toBe(2);
    await db.all(sql`update blast set status = 'queued', queued_at = now() where organization_id = ${db.organizationId} and id = ${blast.id}`);
    await run();
    await deliver();
    await run();
    const params = { id: blast.id };
    expect((await office.call("getBlast", { params })).blast).toMatchObject({ status: "completed", recipientCount: 2, skippedUnlinkedTenantCount: 0 });
    const { recipients } = await office.call("listBlastRecipients", { params });
    expect(recipients.map(({ status, skipReason }) => `${status} ${skipReason}`).toSorted()).toEqual(["dispatched null", "skipped duplicate_address"]);
    expect(server.mails.filter((mail) => mail.toLowerCase().includes(`to: ${email.toLowerCase()}`))).toHaveLength(1);
  });

  test("skips tenants who were deleted after the recipients were determined", async () => {
    const { office, db, id, tenantIds, run, read } = await aQueuedBlast(2);
    await db.all(sql`insert into blast_recipient (organization_id, id, created_at, updated_at, blast_id, tenant_id, channel, language, status)
      values (${db.organizationId}, ${id}, now(), now(), ${id}, ${tenantIds[0]}, 'email', 'en', 'pending')`);
    await db.all(sql`update blast set status = 'sending' where organization_id = ${db.organizationId} and id = ${id}`);
    await office.call("deleteTenant", { params: { id: tenantIds[0]! } });
    await run();
    expect(await read()).toMatchObject({ status: "failed" });
    expect((await office.call("listBlastRecipients", { params: { id } })).recipients).toMatchObject([{ status: "skipped", skipReason: "deleted" }]);
  });
});

describe("completeVersions", () => {
  let translationServer: Server;
  let respond: (request: { q: string[]; target: string; api_key?: string }, response: ServerResponse) => void;
  const url = () => `http://127.0.0.1:${(translationServer.address() as AddressInfo).port}`;
  beforeAll(async () => {
    translationServer = createServer((request: IncomingMessage, response: ServerResponse) => {
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString()));
      request.on("end", () => respond(JSON.parse(text) as never, response));
    });
    await new Promise<void>((resolve) => translationServer.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    translationServer.closeAllConnections();
    return new Promise<void>((resolve) => translationServer.close(() => resolve()));
  });
  const original = { title: "Water", body: "Off at noon." };
  const complete = (versions: { language: string; title: string; body: string; aiTranslated: boolean }[], languages: string[], timeoutMs?: number) =>
    completeVersions(createTranslator({ url: url(), key: "key" }, timeoutMs), { original, versions, autoTranslate: true }, languages);

  test("translates the languages that have no version, and keeps those of the office", async () => {
    const requests: unknown[] = [];
    respond = (request, response) => {
      requests.push(request);
      response.end(JSON.stringify({ translatedText: request.q.map((text) => `${request.target}: ${text}`) }));
    };
    const given = { language: "es-MX", title: "Agua", body: "Sin agua.", aiTranslated: false };
    expect(await complete([given, { ...given, language: "pl", aiTranslated: true }], ["en", "es", "fr"])).toEqual([
      given,
      { language: "fr", title: "fr: Water", body: "fr: Off at noon.", aiTranslated: true },
    ]);
    expect(requests).toEqual([{ q: ["Water", "Off at noon."], source: "en", target: "fr", format: "text", api_key: "key" }]);
  });

  test.each([
    ["fails", (response: ServerResponse) => void response.writeHead(500).end("{}")],
    ["responds with something else", (response: ServerResponse) => void response.end(JSON.stringify({ translatedText: ["only one"] }))],
    ["breaks off", (response: ServerResponse) => void response.destroy()],
    ["does not answer in time", () => undefined],
  ])("throws 502 when the service %s", async (_, answer) => {
    respond = (_request, response) => answer(response);
    await expect(complete([], ["fr"], 300)).rejects.toMatchObject({
      status: 502,
      code: "provider_failed",
      headers: { "Retry-After": expect.stringMatching(/^\d+$/) },
    });
  });
});
