import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { createLogger } from "@freehold/kit/observability/log";
import type { ServerResponse } from "node:http";
import { anEmail, anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { testClients } from "../../../test/clients.ts";
import { startSmsServer, type SmsServer } from "../../../test/sms-server.ts";
import { database as definition } from "../../database.ts";
import { deleteMessages } from "../delete-messages.ts";
import { deliverQueued } from "../deliver-messages.ts";
import { recordSmsReport } from "../delivery-reports.ts";
import { getDeliveries, recordPart, renewClaim } from "../message.queries.ts";
import { sendMessages } from "../messages.ts";
import { queueMessages } from "../queue-messages.ts";
import { splitSms } from "./sms-parts.rules.ts";
import { smsProvider } from "./sms-provider.ts";
import type { MessageTransports } from "../transports.ts";

const log = createLogger("test", "silent");
const clients = testClients();
let database: Awaited<ReturnType<typeof openDatabase>>;
let server: SmsServer;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
  server = await startSmsServer();
});
afterAll(() => Promise.all([server.close(), database.close()]));

const settings = () => ({ url: server.url, accountId: "AC1", authToken: "token", from: "+15185550100" });
const transportsWith = (timeoutMs?: number): MessageTransports => ({
  from: "Freehold <no-reply@freehold.example>",
  mailer: undefined,
  sms: smsProvider(settings(), log, timeoutMs),
  devOutbox: undefined,
});
const json =
  (status: number, body: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
/** Announces more bytes than it sends, then breaks the connection. */
const half = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": "500" });
  response.write('{"sid":', () => setImmediate(() => response.destroy()));
};

let nextNumber = 0;
const aPhone = () => `+1607555${String((nextNumber += 1)).padStart(4, "0")}`;

/** Queues a text message to a tenant who consents to text messages. */
async function aQueuedSms(text = "Hello") {
  const office = await anOffice();
  const db = new OrgDb(database, systemPrincipal(office.organizationId));
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone: aPhone() } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  const [id, to] = [newId(), tenant.phone!];
  const message = {
    id,
    channel: "sms" as const,
    template: "test",
    recipient: { type: "tenant" as const, id: tenant.id },
    to,
    subject: null,
    text,
    html: null,
  };
  await transaction(db, (tx) => queueMessages(tx, transportsWith(), [message]));
  const read = async () =>
    (await db.first(sql<{ status: string; error: string | null; attempts: number; providerMessageId: string | null; delaySeconds: number | null }>`
      select status, error, attempts, provider_message_id, extract(epoch from next_attempt_at - updated_at)::int as delay_seconds from message
      where organization_id = ${db.organizationId} and id = ${id}`))!;
  const makeDue = () =>
    db.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'queued'`);
  /** Runs the delivery with a response of the provider. */
  const deliver = async (respond?: (response: ServerResponse) => void, timeoutMs?: number) => {
    await makeDue();
    server.respondWith(respond);
    await deliverQueued(db, transportsWith(timeoutMs), clients);
    server.respondWith(undefined);
    return read();
  };
  const requests = () => server.received.filter(({ form }) => form["To"] === to);
  return { office, db, id, to, tenantId: tenant.id, message, read, deliver, requests };
}

describe("a text message", () => {
  test("is posted as a form with the account's credentials, once, and keeps the provider's id", async () => {
    const { to, deliver, requests } = await aQueuedSms();
    expect(await deliver()).toMatchObject({ status: "sent", error: null, attempts: 1, providerMessageId: expect.stringMatching(/^SM/) });
    expect(await deliver()).toMatchObject({ attempts: 1 });
    const authorization = `Basic ${Buffer.from("AC1:token").toString("base64")}`;
    expect(requests()).toEqual([{ path: "/2010-04-01/Accounts/AC1/Messages.json", authorization, form: { To: to, From: "+15185550100", Body: "Hello" } }]);
  });

  test.each([
    ["a full queue, for as long as the provider asks", json(429, {}, { "Retry-After": "900" }), "delayed_429", 900],
    ["a full queue, for the usual time if that is longer", json(429, {}, { "Retry-After": "5" }), "delayed_429", 60],
    ["an error of the provider", json(500, {}), "delayed_500", 60],
    ["wrong credentials", json(401, { code: 20003 }), "delayed_401", 60],
  ])("waits after %s, and is sent then", async (_, respond, error, delaySeconds) => {
    const { deliver, requests } = await aQueuedSms();
    expect(await deliver(respond)).toMatchObject({ status: "queued", error, delaySeconds });
    expect(await deliver()).toMatchObject({ status: "sent", attempts: 2 });
    expect(requests()).toHaveLength(2);
  });

  test("waits while the provider cannot be reached", async () => {
    const { db, id, read } = await aQueuedSms();
    const closed = await startSmsServer();
    await closed.close();
    await deliverQueued(db, { ...transportsWith(), sms: smsProvider({ ...settings(), url: closed.url }, log) }, clients);
    expect(await read()).toMatchObject({ status: "queued", error: "unreachable" });
    expect(id).toBeDefined();
  });

  test.each([
    ["no answer comes in time", () => undefined, 200],
    ["the connection breaks before the answer", (response: ServerResponse) => void response.destroy(), undefined],
    ["a proxy does not know the outcome", json(504, {}), undefined],
  ])("is not sent again when %s, because the provider may have sent it", async (_, respond, timeoutMs) => {
    const { deliver, requests } = await aQueuedSms();
    expect(await deliver(respond, timeoutMs)).toMatchObject({ status: "failed", error: "unconfirmed", delaySeconds: null });
    await deliver();
    expect(requests()).toHaveLength(1);
  });

  test("is sent, without the provider's id, when the answer breaks off after its status", async () => {
    const { deliver, requests } = await aQueuedSms();
    expect(await deliver(half(201))).toMatchObject({ status: "sent", providerMessageId: null });
    await deliver();
    expect(requests()).toHaveLength(1);
  });

  test("is not sent again after a process died during the attempt", async () => {
    const { db, id, deliver, requests } = await aQueuedSms();
    // The attempt has begun, and its result was never recorded.
    await db.all(sql`update message set attempts = 1 where organization_id = ${db.organizationId} and id = ${id}`);
    expect(await renewClaim(db, { id, attempts: 1, channel: "sms" })).toBe(true);
    expect(await deliver()).toMatchObject({ status: "failed", error: "unconfirmed" });
    expect(requests()).toEqual([]);
  });

  test("fails when the provider refuses it", async () => {
    const { deliver } = await aQueuedSms();
    expect(await deliver(json(400, { code: 21211 }))).toMatchObject({ status: "failed", error: "rejected_21211" });
  });

  test("is skipped when the number opted out at the provider, and so are all later ones", async () => {
    const { office, tenantId, deliver } = await aQueuedSms();
    expect(await deliver(json(400, { code: 21610 }))).toMatchObject({ status: "skipped", error: "opted_out" });
    const { conversation } = await office.call("createConversation", { body: { participantType: "tenant", participantId: tenantId } });
    const params = { id: conversation.id };
    const refused = await office.attempt("sendConversationMessage", { params, body: { body: "Hello", channel: "sms" } });
    expect(refused.body.code).toBe("sms_consent_missing");
  });

  test("is skipped when the consent is withdrawn while it is queued", async () => {
    const { office, tenantId, deliver, requests } = await aQueuedSms();
    expect(await deliver(json(500, {}))).toMatchObject({ status: "queued" });
    await office.call("updateTenant", { params: { id: tenantId }, body: { smsConsent: { granted: false, source: "phone call" } } });
    expect(await deliver()).toMatchObject({ status: "skipped", error: "no_consent" });
    expect(requests()).toHaveLength(1);
  });

  test("of another service is sent to a person by consent for the number only, which each attempt checks again", async () => {
    const { office, db, id: queuedId, to, tenantId, deliver, requests } = await aQueuedSms();
    await deliver();
    const link = "https://freehold.example/invites/abc123";
    const send = async (address: string, id = newId()) => {
      const message = { id, channel: "sms", to: "", template: "invite", fields: { link }, person: { type: "tenant", id: tenantId, address } };
      return (await sendMessages(db, { clients, transports: transportsWith() }, [message], { timeoutMs: 60_000 }))[0];
    };
    expect(await send("+16075559999")).toMatchObject({ status: "skipped", error: "no_consent" });
    server.respondWith(json(500, {}));
    const id = newId();
    expect(await send(to, id)).toMatchObject({ status: "queued", error: "delayed_500" });
    await office.call("updateTenant", { params: { id: tenantId }, body: { smsConsent: { granted: false, source: "phone call" } } });
    expect(await deliver()).toMatchObject({ status: "sent" });
    expect((await getDeliveries(db, [id, queuedId])).map(({ status, error }) => [status, error])).toEqual([
      ["skipped", "no_consent"],
      ["sent", undefined],
    ]);
    expect(await send(to)).toMatchObject({ status: "skipped", error: "no_consent" });
    expect(requests()).toHaveLength(2);
  });
});

describe("a long text message", () => {
  const text = Array.from({ length: 700 }, (_, index) => `word${index}`).join(" ");
  const parts = splitSms(text);
  const aLongSms = async () => {
    const sms = await aQueuedSms(text);
    const { db, id, requests, read } = sms;
    const of = sql`where organization_id = ${db.organizationId} and id = ${id}`;
    const report = async (providerMessageId: string, status: "delivered" | "failed") => {
      await recordSmsReport(db, { providerMessageId, status, error: status === "failed" ? "rejected_30005" : null });
      return (await read()).status;
    };
    const readPartIds = async () => (await db.first(sql<{ partIds: string[] }>`select part_ids from message ${of}`))!.partIds;
    /** Begins the first attempt, as a process does that dies later. */
    const begin = async () => {
      await db.all(sql`update message set attempts = 1 ${of}`);
      await renewClaim(db, { id, attempts: 1, channel: "sms" });
    };
    return { ...sms, report, readPartIds, begin, sent: () => requests().map(({ form }) => form["Body"]) };
  };
  /** Accepts the first request, and fails the following ones. */
  const acceptOne = () => {
    let count = 0;
    return (response: ServerResponse) => ((count += 1) === 1 ? json(201, { sid: `SM${newId()}` }) : json(500, {}))(response);
  };

  test("is sent in parts, one after the other, and delivered once all parts are", async () => {
    const { db, deliver, sent, report, readPartIds } = await aLongSms();
    const { status, attempts, providerMessageId } = await deliver();
    const partIds = await readPartIds();
    expect([status, attempts, sent(), partIds.length, partIds.at(-1)]).toEqual(["sent", 1, parts, parts.length, providerMessageId]);
    const [first, ...others] = partIds as [string, ...string[]];
    const statuses = [];
    for (const id of [...others, others[0]!, first, first]) statuses.push(await report(id, "delivered"));
    expect(statuses).toEqual([...others.map(() => "sent"), "sent", "delivered", "delivered"]);
    const countRoutes = async () => (await db.all(sql`select key from message_route where organization_id = ${db.organizationId} and key like 'sid:%'`)).length;
    expect(await countRoutes()).toBe(parts.length);
    await db.all(sql`update message set created_at = now() - interval '2 days' where organization_id = ${db.organizationId}`);
    await deleteMessages(db, 1);
    expect(await countRoutes()).toBe(0);
  });

  test("continues with the first part that the provider has not accepted", async () => {
    const { deliver, sent } = await aLongSms();
    expect(await deliver(acceptOne())).toMatchObject({ status: "queued", error: "delayed_500" });
    expect(await deliver()).toMatchObject({ status: "sent", attempts: 2 });
    expect(sent()).toEqual([parts[0], parts[1], ...parts.slice(1)]);
  });

  test("continues after a process died between two parts", async () => {
    const { db, id, begin, deliver, sent } = await aLongSms();
    await begin();
    await recordPart(db, { id, attempts: 1 }, `SM${newId()}`);
    expect(await deliver()).toMatchObject({ status: "sent", attempts: 2 });
    expect(sent()).toEqual(parts.slice(1));
  });

  test("ends when a process died while it sent a part, which the provider may have", async () => {
    const { db, id, begin, deliver, sent } = await aLongSms();
    await begin();
    await recordPart(db, { id, attempts: 1 }, `SM${newId()}`);
    await renewClaim(db, { id, attempts: 1, channel: "sms" });
    expect(await deliver()).toMatchObject({ status: "failed", error: "unconfirmed" });
    expect(sent()).toEqual([]);
  });

  test.each([
    ["before", acceptOne],
    ["after", () => undefined],
  ])("fails with its first part that fails %s the others are sent", async (_, respond) => {
    const { deliver, read, sent, report, readPartIds } = await aLongSms();
    await deliver(respond());
    const before = sent();
    expect(await report((await readPartIds())[0]!, "failed")).toBe("failed");
    await deliver();
    expect([(await read()).error, sent()]).toEqual(["rejected_30005", before]);
  });
});
