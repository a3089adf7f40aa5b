import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { createLogger } from "@freehold/kit/observability/log";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import type { Message } from "@freehold/proto/communications/v1/communications";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { startSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { database as definition } from "../database.ts";
import { smtpMailer, type Mailer } from "./mailer.ts";
import { testClients } from "../../test/clients.ts";
import { optIn, optOut } from "../recipients/opt-outs.ts";
import { suppressAddress } from "../recipients/suppressions.ts";
import { deliverQueued } from "./deliver-messages.ts";
import { sendMessages } from "./messages.ts";
import type { MessageTransports } from "./transports.ts";

const link = "https://freehold.example/invites/abc123";
const inviteMessage = (changes: Partial<Message> = {}): Message => ({
  id: newId(),
  channel: "email",
  to: anEmail(),
  template: "invite",
  fields: { link, organizationName: "Elm Street" },
  ...changes,
});

describe("listDevOutbox", () => {
  test("returns the invite of a user with its link", async () => {
    const office = await anOffice();
    const email = anEmail();
    await office.call("createUser", { body: { email, fullName: "Mia Manager", role: "manager" } });
    const { messages } = await new Client(office.baseUrl).call("listDevOutbox", { query: { to: email } });
    expect(messages).toMatchObject([{ channel: "email", to: email, from: "Freehold <no-reply@freehold.local>" }]);
    expect(messages[0]!.subject).toContain("Elm Street Management");
    expect(messages[0]!.links).toContainEqual(expect.stringContaining("/invites/"));
    expect(messages[0]!.html).toContain(messages[0]!.links[0]!);
  });

  test("filters by recipient, ignoring case", async () => {
    const office = await anOffice();
    const email = anEmail();
    await office.call("createUser", { body: { email, fullName: "Sol Staff", role: "staff" } });
    expect((await office.call("listDevOutbox", { query: { to: email.toUpperCase() } })).messages).toHaveLength(1);
    expect((await office.call("listDevOutbox", { query: { to: anEmail() } })).messages).toEqual([]);
  });

  test("refuses unknown filters", async () => {
    const { status } = await new Client(running().baseUrl).attempt("listDevOutbox", { query: { from: "a" } });
    expect(status).toBe(400);
  });
});

describe("sendMessages", () => {
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let server: SmtpServer;
  let mailer: Mailer;
  let smtp: MessageTransports;
  const clients = testClients();
  const newOrgDb = () => new OrgDb(database, systemPrincipal(newId()));
  const from = "Freehold <no-reply@freehold.example>";
  const getRow = (db: OrgDb, id: string) =>
    db.first(
      sql<{ status: string; text: string | null; html: string | null; attempts: number; error: string | null; delaySeconds: number | null }>`
        select status, text, html, attempts, error, extract(epoch from next_attempt_at - updated_at)::int as delay_seconds from message where organization_id = ${db.organizationId} and id = ${id}`,
    );
  const makeDue = (db: OrgDb) =>
    db.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and status = 'queued'`);

  /** Sends messages with a timeout that the mail server never reaches. */
  const send = (db: OrgDb, transports: MessageTransports, messages: Message[]) => sendMessages(db, { clients, transports }, messages, { timeoutMs: 60_000 });

  beforeAll(async () => {
    database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
    server = await startSmtpServer();
    mailer = smtpMailer(server.url, createLogger("test", "silent"));
    smtp = { from, mailer, devOutbox: undefined };
  });
  afterAll(async () => {
    mailer.close();
    await server.close();
    await database.close();
  });

  test("sends an e-mail and deletes its content", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    expect(await send(db, smtp, [message])).toEqual([{ messageId: message.id, provider: "smtp", status: "sent", error: undefined }]);
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
    expect(await getRow(db, message.id)).toMatchObject({ status: "sent", text: null, html: null });
  });

  test("sends a message once per id, also for concurrent requests", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    await Promise.all(Array.from({ length: 20 }, () => send(db, smtp, [message, message])));
    const [repeated] = await send(db, smtp, [{ ...message, to: "somebody.else@example.com" }]);
    expect(repeated).toMatchObject({ status: "sent" });
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
    expect(server.mails.filter((mail) => mail.includes("somebody.else"))).toEqual([]);
  });

  test("leaves a message that is only queued to the next delivery", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    expect(await sendMessages(db, { clients, transports: smtp }, [message], { queueOnly: true })).toMatchObject([{ messageId: message.id, status: "queued" }]);
    expect(await getRow(db, message.id)).toMatchObject({ status: "queued", attempts: 0, delaySeconds: 0 });
    await deliverQueued(db, smtp, clients);
    expect(await getRow(db, message.id)).toMatchObject({ status: "sent", attempts: 1 });
  });

  test("returns deliveries in request order", async () => {
    const messages = [inviteMessage(), inviteMessage({ channel: "sms", to: "+18605550100" }), inviteMessage({ template: "nothing" })];
    const deliveries = await send(newOrgDb(), smtp, messages);
    expect(deliveries).toEqual([
      { messageId: messages[0]!.id, provider: "smtp", status: "sent", error: undefined },
      { messageId: messages[1]!.id, provider: "sms", status: "skipped", error: "not_configured" },
      { messageId: messages[2]!.id, provider: "smtp", status: "failed", error: "unknown_template" },
    ]);
  });

  test("retries a delayed message", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    server.refuseRecipients("451 try later");
    expect(await send(db, smtp, [message])).toMatchObject([{ status: "queued", error: "delayed_451" }]);
    server.refuseRecipients(undefined);
    expect(await getRow(db, message.id)).toMatchObject({ status: "queued", attempts: 1, delaySeconds: 60 });
    await makeDue(db);
    await deliverQueued(db, smtp, clients);
    expect(await getRow(db, message.id)).toMatchObject({ status: "sent", attempts: 2, error: null, text: null });
  });

  test("fails a message after the last attempt and after a permanent rejection", async () => {
    const [db, delayed, refused] = [newOrgDb(), inviteMessage(), inviteMessage()];
    server.refuseRecipients("451 try later");
    await send(db, smtp, [delayed]);
    for (let attempt = 2; attempt <= 6; attempt++) {
      await makeDue(db);
      await deliverQueued(db, smtp, clients);
    }
    server.refuseRecipients("550 no such mailbox");
    await send(db, smtp, [refused]);
    server.refuseRecipients(undefined);
    expect(await getRow(db, delayed.id)).toMatchObject({ status: "failed", attempts: 6, error: "delayed_451", text: null });
    expect(await getRow(db, refused.id)).toMatchObject({ status: "failed", attempts: 1, error: "rejected_550", text: null });
  });

  test("counts the outcome of each attempt, and of messages that are not attempted", async () => {
    const db = newOrgDb();
    const counts: string[] = [];
    const counting = { ...smtp, count: (channel: string, outcome: string) => void counts.push(`${channel} ${outcome}`) };
    const countsOf = async (work: () => Promise<unknown>) => {
      await work();
      return counts.splice(0).sort();
    };
    const [delayed, withdrawn] = [inviteMessage(), inviteMessage()];
    server.refuseRecipients("451 try later");
    expect(await countsOf(() => send(db, counting, [delayed, withdrawn]))).toEqual(["email delayed", "email delayed"]);
    server.refuseRecipients(undefined);
    await transaction(db, (tx) => suppressAddress(tx, withdrawn.to, "bounced"));
    await makeDue(db);
    expect(await countsOf(() => deliverQueued(db, counting, clients))).toEqual(["email sent", "email skipped"]);
    const others = [inviteMessage({ to: withdrawn.to }), inviteMessage({ to: "no address" }), inviteMessage()];
    expect(await countsOf(() => send(db, counting, others))).toEqual(["email failed", "email sent", "email skipped"]);
    expect(await countsOf(() => send(db, counting, others))).toEqual([]);
    server.refuseRecipients("550 5.1.1 no such user");
    expect(await countsOf(() => send(db, counting, [inviteMessage()]))).toEqual(["email failed"]);
    server.refuseRecipients(undefined);
  });

  test("attempts a due message in one replica at a time", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    server.refuseRecipients("451 try later");
    await send(db, smtp, [message]);
    server.refuseRecipients(undefined);
    await makeDue(db);
    await Promise.all(Array.from({ length: 5 }, () => deliverQueued(db, smtp, clients)));
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
  });

  test("sends a message once whose claim expires while it waits for a connection", async () => {
    const db = newOrgDb();
    const messages = Array.from({ length: 8 }, () => inviteMessage());
    const receivedOf = ({ to }: Message) => server.mails.filter((mail) => mail.includes(`To: ${to}`)).length;
    const release = server.holdAnswers();
    const sending = send(db, smtp, messages);
    try {
      await eventually("mails on all connections", () => messages.filter((message) => receivedOf(message) > 0).length === 5);
      const waiting = messages.filter((message) => receivedOf(message) === 0);
      const ids = waiting.map(({ id }) => id);
      await db.all(
        sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${db.organizationId} and id = any(${ids}::uuid[])`,
      );
      const delivering = deliverQueued(db, smtp, clients);
      await eventually("second claims", async () => (await Promise.all(ids.map((id) => getRow(db, id)))).every((row) => row!.attempts === 2));
      release();
      await Promise.all([sending, delivering]);
    } finally {
      release();
    }
    expect(messages.map(receivedOf)).toEqual(messages.map(() => 1));
    for (const { id } of messages) expect(await getRow(db, id)).toMatchObject({ status: "sent" });
  });

  test.each(["no address", "a@example.com,b@example.com", "a@example.com\r\nBcc: b@example.com", "Ana <a@example.com>", ""])(
    "fails a message to the invalid address %j",
    async (to) => {
      expect(await send(newOrgDb(), smtp, [inviteMessage({ to })])).toMatchObject([{ status: "failed", error: "invalid_address" }]);
    },
  );

  test.each([{ id: "1" }, { channel: "fax" }])("refuses an invalid request: %j", async (changes) => {
    await expect(send(newOrgDb(), smtp, [inviteMessage(changes)])).rejects.toMatchObject({ status: 400 });
  });

  test("stores a message in the development outbox only where it is enabled", async () => {
    const [stored, skipped] = [inviteMessage(), inviteMessage()];
    const withOutbox = { from, mailer: undefined, devOutbox: { pool: database.pool } };
    expect(await send(newOrgDb(), withOutbox, [stored])).toMatchObject([{ provider: "outbox", status: "sent" }]);
    const sms = inviteMessage({ channel: "sms", to: "(217) 555-0100" });
    expect(await send(newOrgDb(), withOutbox, [sms])).toMatchObject([{ provider: "outbox", status: "sent" }]);
    expect(await send(newOrgDb(), { ...withOutbox, devOutbox: undefined }, [skipped])).toMatchObject([{ status: "skipped", error: "not_configured" }]);
    const client = new Client(running().baseUrl);
    expect((await client.call("listDevOutbox", { query: { to: stored.to } })).messages).toMatchObject([{ id: stored.id, links: [link] }]);
    expect((await client.call("listDevOutbox", { query: { to: skipped.to } })).messages).toEqual([]);
    const { messages } = await client.call("listDevOutbox", { query: { to: "+12175550100" } });
    expect(messages.find(({ id }) => id === sms.id)).toMatchObject({ channel: "sms", text: `Your invitation to Elm Street: ${link}`, html: null });
  });

  test("skips a suppressed address and a phone number that opted out, until it opts in again", async () => {
    const [db, mail, sms] = [newOrgDb(), inviteMessage(), inviteMessage({ channel: "sms", to: "+12175550101" })];
    const withOutbox = { from, mailer: undefined, devOutbox: { pool: database.pool } };
    await transaction(db, async (tx) => {
      await suppressAddress(tx, mail.to.toUpperCase(), "bounced");
      await optOut(tx, sms.to, "STOP");
      await optOut(tx, sms.to, "QUIT");
    });
    expect(await send(db, withOutbox, [mail, sms])).toMatchObject([
      { status: "skipped", error: "suppressed" },
      { status: "skipped", error: "opted_out" },
    ]);
    expect(await send(newOrgDb(), withOutbox, [inviteMessage({ to: mail.to })])).toMatchObject([{ status: "sent" }]);
    await transaction(db, (tx) => optIn(tx, sms.to));
    expect(await send(db, withOutbox, [{ ...sms, id: newId() }])).toMatchObject([{ status: "sent" }]);
  });

  test("sends e-mails of the account to an address that complained, also as a retry, until it returns one", async () => {
    const [db, to] = [newOrgDb(), anEmail()];
    const reset = (): Message => inviteMessage({ to, template: "password-reset" });
    const outcomes = async () => {
      const messages = [reset(), inviteMessage({ to, template: "email-confirmation" }), inviteMessage({ to })];
      return (await send(db, smtp, messages)).map(({ status }) => status);
    };
    await transaction(db, (tx) => suppressAddress(tx, to, "complained"));
    expect(await outcomes()).toEqual(["sent", "sent", "skipped"]);
    const delayed = reset();
    server.refuseRecipients("451 try later");
    await send(db, smtp, [delayed]);
    server.refuseRecipients(undefined);
    await makeDue(db);
    await deliverQueued(db, smtp, clients);
    expect(await getRow(db, delayed.id)).toMatchObject({ status: "sent" });
    await transaction(db, (tx) => suppressAddress(tx, to, "bounced"));
    expect(await outcomes()).toEqual(["skipped", "skipped", "skipped"]);
  });

  test("suppresses an address that the mail server rejects for good, unless it rejects the sender", async () => {
    const [db, to, otherTo] = [newOrgDb(), anEmail(), anEmail()];
    const sendTo = async (address: string) => (await send(db, smtp, [inviteMessage({ to: address })]))[0]!.error;
    server.refuseRecipients("550 5.7.1 client host is blocked");
    expect([await sendTo(otherTo), await sendTo(otherTo)]).toEqual(["rejected_550", "rejected_550"]);
    server.refuseRecipients("550 5.1.1 no such user");
    expect([await sendTo(to), await sendTo(to.toUpperCase())]).toEqual(["rejected_550", "suppressed"]);
    server.refuseRecipients(undefined);
    expect([await sendTo(to), await sendTo(otherTo)]).toEqual(["suppressed", undefined]);
    expect(await send(newOrgDb(), smtp, [inviteMessage({ to })])).toMatchObject([{ status: "sent" }]);
  });

  test("skips a queued e-mail whose address is suppressed before the next attempt", async () => {
    const [db, message] = [newOrgDb(), inviteMessage()];
    server.refuseRecipients("451 try later");
    await send(db, smtp, [message]);
    server.refuseRecipients(undefined);
    await transaction(db, (tx) => suppressAddress(tx, message.to, "complained"));
    await makeDue(db);
    await deliverQueued(db, smtp, clients);
    expect(await getRow(db, message.id)).toMatchObject({ status: "skipped", error: "suppressed", text: null });
    expect(server.mails.filter((mailText) => mailText.includes(message.to))).toEqual([]);
    const row = await db.first(sql<{ history: { status: string; error: string | null }[] }>`select history from message
      where organization_id = ${db.organizationId} and id = ${message.id}`);
    expect(row!.history.map(({ status, error }) => [status, error])).toEqual([
      ["queued", null],
      ["queued", "delayed_451"],
      ["skipped", "suppressed"],
    ]);
  });

  test("lists at most 100 messages of the development outbox, newest first", async () => {
    const newMessages = Array.from({ length: 101 }, () => inviteMessage());
    await send(newOrgDb(), { from, mailer: undefined, devOutbox: { pool: database.pool } }, newMessages);
    const { messages } = await new Client(running().baseUrl).call("listDevOutbox");
    expect(messages).toHaveLength(100);
    const times = messages.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("separates organizations, also for messages with the same id", async () => {
    const [db, otherDb, message] = [newOrgDb(), newOrgDb(), inviteMessage()];
    await send(db, smtp, [message]);
    expect(await getRow(otherDb, message.id)).toBeUndefined();
    expect(await otherDb.all(sql`select id from message`)).toEqual([]);
    expect(await send(otherDb, smtp, [message])).toMatchObject([{ status: "sent" }]);
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(2);
  });
});
