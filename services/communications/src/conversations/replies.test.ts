/** Answers to the address for replies of a conversation, from the e-mail that has it to the conversation. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { createLogger } from "@freehold/kit/observability/log";
import { randomUUID } from "node:crypto";
import { readSecrets } from "../../../../deploy/system/secrets.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { emailEvent, sendWebhook } from "../../../../test/support/providers/webhooks.ts";
import { running } from "../../../../test/support/running.ts";
import { testClients } from "../../test/clients.ts";
import { startSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { database as definition } from "../database.ts";
import { deliverQueued } from "../messages/deliver-messages.ts";
import { smtpMailer, type Mailer } from "../messages/mailer.ts";
import type { MessageTransports } from "../messages/transports.ts";
import { createConversation } from "./conversations.ts";
import { replyAddresses } from "./reply-addresses.ts";

const clients = testClients();
let database: Awaited<ReturnType<typeof openDatabase>>;
let smtp: SmtpServer;
let mailer: Mailer;
let transports: MessageTransports;
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
  smtp = await startSmtpServer();
  mailer = smtpMailer(smtp.url, createLogger("test", "silent"));
  const key = Buffer.from(readSecrets(running().dataDir).mailEncryptionKey, "base64");
  transports = { from: "Freehold <no-reply@freehold.example>", mailer, devOutbox: undefined, replyAddresses: replyAddresses(key) };
});
afterAll(async () => {
  mailer.close();
  await Promise.all([smtp.close(), database.close()]);
});

const dbOf = (office: Office) => new OrgDb(database, { ...systemPrincipal(office.organizationId), userId: office.userId, role: "admin" });

/** Creates an office that sends from a verified forwarding address. */
async function anOfficeWithAccount(replyTo: string | null = null) {
  const office = await anOffice();
  const { emailAccount } = await office.call("createEmailAccount", { body: { address: anEmail(), kind: "forwarding", replyTo } });
  await dbOf(office).all(sql`update email_account set status = 'verified', is_default = true where organization_id = ${office.organizationId}`);
  return { office, emailAccount };
}
async function aTenant(office: Office) {
  const email = anEmail();
  return { email, id: (await office.call("createTenant", { body: { fullName: "Ana Ruiz", email } })).tenant.id };
}

/** Starts a conversation by e-mail, through a mail server. Returns its id and the `Reply-To` of the e-mail. */
async function write(office: Office, participantId: string, subject: string) {
  const db = dbOf(office);
  const { conversation } = await createConversation(
    db,
    { clients, transports },
    { participantType: "tenant", participantId, subject, channels: ["email"], message: { body: "Hello", channel: "email" }, forceNew: true },
  );
  await deliverQueued(db, transports, clients);
  const mail = await eventually("e-mail", () => smtp.mails.find((each) => each.includes(`Subject: ${subject}\r\n`)));
  return { id: conversation.id, replyTo: /^Reply-To:(.*(?:\r\n[ \t].*)*)/m.exec(mail)?.[1]?.replaceAll(/[\s<>]/g, "") };
}

/** Lets an e-mail arrive and returns the conversations of an office with it. */
async function receive(office: Office, from: string, to: string, headers: Record<string, string> = {}) {
  const text = `Answer ${randomUUID()}`;
  await sendWebhook(office.baseUrl, emailEvent({ data: { from, to: [to], subject: "Re: Hello", text, headers } }));
  return eventually("answer", async () => {
    const { conversations } = await office.call("listConversations", { query: { pageSize: 100 } });
    return conversations.find(({ latestMessagePreview }) => latestMessagePreview === text)?.id;
  });
}

describe("the address for replies of a conversation", () => {
  test("lets an answer find it, among several open ones, whatever its headers say, and from another address without the participant's name", async () => {
    const { office, emailAccount } = await anOfficeWithAccount();
    const tenant = await aTenant(office);
    const [first, second] = [await write(office, tenant.id, `Keys ${randomUUID()}`), await write(office, tenant.id, `Water ${randomUUID()}`)];
    expect(first.replyTo).toMatch(new RegExp(`^${emailAccount.inboundAddress.replace("@", "\\+[0-9a-z]{35}@")}$`));
    expect(await receive(office, tenant.email, first.replyTo!)).toBe(first.id);
    expect(await receive(office, tenant.email, second.replyTo!.toUpperCase())).toBe(second.id);
    const { messages } = await office.call("getConversation", { params: { id: second.id } });
    expect(await receive(office, tenant.email, first.replyTo!, { "In-Reply-To": messages[0]!.emailMessageId! })).toBe(first.id);
    const stranger = anEmail();
    expect(await receive(office, stranger, first.replyTo!)).toBe(first.id);
    expect((await office.call("getConversation", { params: { id: first.id } })).messages.at(-1)).toMatchObject({ senderId: null, senderName: stranger });
  });

  test("has no effect when its token is forged, or of another organization", async () => {
    const [{ office }, { office: other, emailAccount: otherAccount }] = [await anOfficeWithAccount(), await anOfficeWithAccount()];
    const [tenant, otherTenant] = [await aTenant(office), await aTenant(other)];
    const [first, second] = [await write(office, tenant.id, `Keys ${randomUUID()}`), await write(office, tenant.id, `Water ${randomUUID()}`)];
    await write(other, otherTenant.id, `Heat ${randomUUID()}`);
    const forged = first.replyTo!.replace(/.@/, (end) => (end === "0@" ? "1@" : "0@"));
    // Without the token, the latest conversation of the sender.
    expect(await receive(office, tenant.email, forged)).toBe(second.id);
    const token = first.replyTo!.split(/[+@]/)[1]!;
    const foreign = await receive(other, otherTenant.email, otherAccount.inboundAddress.replace("@", `+${token}@`));
    expect((await other.call("getConversation", { params: { id: foreign } })).conversation.participantId).toBe(otherTenant.id);
    expect((await office.call("getConversation", { params: { id: first.id } })).messages).toHaveLength(1);
  });

  test("is not used when the office has set an address for replies", async () => {
    const { office } = await anOfficeWithAccount("desk@elm.example");
    expect((await write(office, (await aTenant(office)).id, `Keys ${newId()}`)).replyTo).toBe("desk@elm.example");
  });
});
