import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { newId } from "@freehold/kit/db/entity";
import { createLogger } from "@freehold/kit/observability/log";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { sql } from "@freehold/kit/db/statement";
import type { Message } from "@freehold/proto/communications/v1/communications";
import { Client } from "../../../../test/client.ts";
import { anEmail, anOffice } from "../../../../test/office.ts";
import { running } from "../../../../test/running.ts";
import { anSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { database as definition } from "../database.ts";
import { devOutbox } from "./dev-outbox.ts";
import { smtpMailer, type Mailer } from "./mailer.ts";
import { deliverQueued, sendMessages, type MessageTransports } from "./messages.ts";

const link = "https://freehold.example/invites/abc123";
const anInvite = (more: Partial<Message> = {}): Message => ({
  id: newId(),
  channel: "email",
  to: anEmail(),
  template: "invite",
  fields: { link, organizationName: "Elm Street" },
  ...more,
});

describe("listDevOutbox", () => {
  test("shows the invite of a user, with the link to accept it", async () => {
    const office = await anOffice();
    const email = anEmail();
    await office.call("createUser", { body: { email, fullName: "Mia Manager", role: "manager" } });
    const { messages } = await new Client(office.baseUrl).call("listDevOutbox", { query: { to: email } });
    expect(messages).toMatchObject([{ channel: "email", to: email, from: "Freehold <no-reply@freehold.local>" }]);
    expect(messages[0]!.subject).toContain("Elm Street Management");
    expect(messages[0]!.links).toContainEqual(expect.stringContaining("/invites/"));
    expect(messages[0]!.html).toContain(messages[0]!.links[0]!);
  });

  test("finds an address whatever its case, and nobody else's mail", async () => {
    const office = await anOffice();
    const email = anEmail();
    await office.call("createUser", { body: { email, fullName: "Sol Staff", role: "staff" } });
    expect((await office.call("listDevOutbox", { query: { to: email.toUpperCase() } })).messages).toHaveLength(1);
    expect((await office.call("listDevOutbox", { query: { to: anEmail() } })).messages).toEqual([]);
  });

  test("refuses filters it does not know", async () => {
    const { status } = await new Client(running().baseUrl).attempt("listDevOutbox", { query: { from: "a" } });
    expect(status).toBe(400);
  });
});

describe("sendMessages", () => {
  let database: Awaited<ReturnType<typeof openDatabase>>;
  let server: SmtpServer;
  let mailer: Mailer;
  let bySmtp: MessageTransports;
  const db = () => new OrgDb(database, systemPrincipal(newId()));
  const from = "Freehold <no-reply@freehold.example>";
  const rowOf = (where: OrgDb, id: string) =>
    where.first(
      sql<{ status: string; text: string | null; html: string | null; attempts: number; error: string | null }>`
        select status, text, html, attempts, error from message where organization_id = ${where.organizationId} and id = ${id}`,
    );
  const letItBeDue = (where: OrgDb) =>
    where.all(sql`update message set next_attempt_at = now() - interval '1 second' where organization_id = ${where.organizationId} and status = 'queued'`);

  /** Waits for the mail server as long as it takes. */
  const send = (where: OrgDb, by: MessageTransports, messages: Message[]) => sendMessages(where, by, messages, 60_000);

  beforeAll(async () => {
    database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
    server = await anSmtpServer();
    mailer = smtpMailer(server.url, createLogger("test", "silent"));
    bySmtp = { from, mailer, outbox: undefined };
  });
  afterAll(async () => {
    mailer.close();
    await server.close();
    await database.close();
  });

  test("hands an e-mail to the mail server and keeps nothing of its content", async () => {
    const [scope, message] = [db(), anInvite()];
    expect(await send(scope, bySmtp, [message])).toEqual([{ messageId: message.id, provider: "smtp", status: "sent", error: undefined }]);
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
    expect(await rowOf(scope, message.id)).toMatchObject({ status: "sent", text: null, html: null });
  });

  test("sends a message once for its id, however often and at once it is asked", async () => {
    const [scope, message] = [db(), anInvite()];
    await Promise.all(Array.from({ length: 20 }, () => send(scope, bySmtp, [message, message])));
    const [again] = await send(scope, bySmtp, [{ ...message, to: "somebody.else@example.com" }]);
    expect(again).toMatchObject({ status: "sent" });
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
    expect(server.mails.filter((mail) => mail.includes("somebody.else"))).toEqual([]);
  });

  test("answers in the order it was asked", async () => {
    const messages = [anInvite(), anInvite({ channel: "sms", to: "+18605550100" }), anInvite({ template: "nothing" })];
    const deliveries = await send(db(), bySmtp, messages);
    expect(deliveries).toEqual([
      { messageId: messages[0]!.id, provider: "smtp", status: "sent", error: undefined },
      { messageId: messages[1]!.id, provider: "sms", status: "skipped", error: "not_configured" },
      { messageId: messages[2]!.id, provider: "smtp", status: "failed", error: "unknown_template" },
    ]);
  });

  test("tries again what the server put off, and then it is sent", async () => {
    const [scope, message] = [db(), anInvite()];
    server.refuseRecipients("451 try later");
    expect(await send(scope, bySmtp, [message])).toMatchObject([{ status: "queued", error: "delayed_451" }]);
    server.refuseRecipients(undefined);
    const next = await deliverQueued(scope, bySmtp);
    expect(next.getTime() - Date.now()).toBeGreaterThan(50_000);
    expect(next.getTime() - Date.now()).toBeLessThan(61_000);
    await letItBeDue(scope);
    await deliverQueued(scope, bySmtp);
    expect(await rowOf(scope, message.id)).toMatchObject({ status: "sent", attempts: 2, error: null, text: null });
  });

  test("gives up after the last attempt and after the server's final no", async () => {
    const [scope, delayed, refused] = [db(), anInvite(), anInvite()];
    server.refuseRecipients("451 try later");
    await send(scope, bySmtp, [delayed]);
    for (let attempt = 2; attempt <= 6; attempt++) {
      await letItBeDue(scope);
      await deliverQueued(scope, bySmtp);
    }
    server.refuseRecipients("550 no such mailbox");
    await send(scope, bySmtp, [refused]);
    server.refuseRecipients(undefined);
    expect(await rowOf(scope, delayed.id)).toMatchObject({ status: "failed", attempts: 6, error: "delayed_451", text: null });
    expect(await rowOf(scope, refused.id)).toMatchObject({ status: "failed", attempts: 1, error: "rejected_550", text: null });
  });

  test("lets one replica at a time try what is due", async () => {
    const [scope, message] = [db(), anInvite()];
    server.refuseRecipients("451 try later");
    await send(scope, bySmtp, [message]);
    server.refuseRecipients(undefined);
    await letItBeDue(scope);
    await Promise.all(Array.from({ length: 5 }, () => deliverQueued(scope, bySmtp)));
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(1);
  });

  test.each(["no address", "a@example.com,b@example.com", "a@example.com\r\nBcc: b@example.com", "Ana <a@example.com>", ""])(
    "fails a message to %j instead of sending it",
    async (to) => {
      expect(await send(db(), bySmtp, [anInvite({ to })])).toMatchObject([{ status: "failed", error: "invalid_address" }]);
    },
  );

  test.each([{ id: "1" }, { channel: "fax" }])("refuses what no service would ask: %j", async (more) => {
    await expect(send(db(), bySmtp, [anInvite(more)])).rejects.toMatchObject({ status: 400 });
  });

  test("shows a message in the dev outbox only where there is one", async () => {
    const [shown, skipped] = [anInvite(), anInvite()];
    const withOutbox = { from, mailer: undefined, outbox: devOutbox(database.pool) };
    expect(await send(db(), withOutbox, [shown])).toMatchObject([{ provider: "outbox", status: "sent" }]);
    expect(await send(db(), { ...withOutbox, outbox: undefined }, [skipped])).toMatchObject([{ status: "skipped", error: "not_configured" }]);
    const client = new Client(running().baseUrl);
    expect((await client.call("listDevOutbox", { query: { to: shown.to } })).messages).toMatchObject([{ id: shown.id, links: [link] }]);
    expect((await client.call("listDevOutbox", { query: { to: skipped.to } })).messages).toEqual([]);
  });

  test("lists the newest of the dev outbox first and at most 100", async () => {
    const many = Array.from({ length: 101 }, () => anInvite());
    await send(db(), { from, mailer: undefined, outbox: devOutbox(database.pool) }, many);
    const { messages } = await new Client(running().baseUrl).call("listDevOutbox");
    expect(messages).toHaveLength(100);
    const times = messages.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test("keeps the messages of organizations apart, whatever their ids", async () => {
    const [one, other, message] = [db(), db(), anInvite()];
    await send(one, bySmtp, [message]);
    expect(await rowOf(other, message.id)).toBeUndefined();
    expect(await other.all(sql`select id from message`)).toEqual([]);
    expect(await send(other, bySmtp, [message])).toMatchObject([{ status: "sent" }]);
    expect(server.mails.filter((mail) => mail.includes(`To: ${message.to}`))).toHaveLength(2);
  });
});
