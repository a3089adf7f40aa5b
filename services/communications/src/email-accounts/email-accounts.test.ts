import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { EmailAccount } from "@freehold/contract/communications/email-accounts";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { createLogger } from "@freehold/kit/observability/log";
import { createPublicKey, createVerify, randomBytes } from "node:crypto";
import { Client } from "../../../../test/support/client.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { testClients } from "../../test/clients.ts";
import { startDnsServer, type DnsServer } from "../../test/dns-server.ts";
import { startSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { database as definition } from "../database.ts";
import { deliverQueued } from "../messages/deliver-messages.ts";
import { smtpMailer, type Mailer } from "../messages/mailer.ts";
import { queueMessages } from "../messages/queue-messages.ts";
import type { MessageTransports } from "../messages/transports.ts";
import { dkimKeyVault } from "./dkim-key.ts";
import { dnsLookUp } from "./dns-lookup.ts";
import { createEmailAccount, setDefaultEmailAccount, type EmailAccountDependencies } from "./email-accounts.ts";
import { testEmailAccount } from "./account-mails.ts";
import { checkEmailAccounts, verifyEmailAccount } from "./verify-email-account.ts";

const clients = testClients();
let database: Awaited<ReturnType<typeof openDatabase>>;
let dns: DnsServer;
let smtp: SmtpServer;
let mailer: Mailer;
let dependencies: EmailAccountDependencies & { transports: MessageTransports };
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 8);
  [dns, smtp] = await Promise.all([startDnsServer(), startSmtpServer()]);
  mailer = smtpMailer(smtp.url, createLogger("test", "silent"));
  const vault = dkimKeyVault(randomBytes(32));
  const transports = { from: "Freehold <no-reply@freehold.example>", mailer, devOutbox: undefined, vault };
  dependencies = { clients, transports, vault, lookUp: dnsLookUp([dns.address], 300) };
});
afterAll(async () => {
  mailer.close();
  await Promise.all([dns.close(), smtp.close(), database.close()]);
});

const dbOf = (office: Office, userId: string | null = null) => new OrgDb(database, { ...systemPrincipal(office.organizationId), userId });
const aDomain = () => `${newId().slice(-12)}.example`;

/** Adds an account of a domain, with a key of this test's vault. */
async function aDomainAccount(office: Office, domain = aDomain()): Promise<EmailAccount> {
  const body = { address: `office@${domain}`, kind: "domain" as const, displayName: "Elm Street", replyTo: null };
  return (await createEmailAccount(dbOf(office), dependencies, body)).emailAccount;
}
const publishRecords = ({ dnsRecords }: EmailAccount) => {
  for (const { type, name, value } of dnsRecords) dns.records.set(`${type} ${name}`, [value]);
};
const verify = async (office: Office, id: string) => (await verifyEmailAccount(dbOf(office), dependencies, id, {})).emailAccount;
const statuses = ({ dnsRecords }: EmailAccount) => Object.fromEntries(dnsRecords.map(({ purpose, status }) => [purpose, status]));

/** Adds a verified domain account that is the default. */
async function aDefaultDomain(office: Office): Promise<EmailAccount> {
  const account = await aDomainAccount(office);
  publishRecords(account);
  await verify(office, account.id);
  return (await setDefaultEmailAccount(dbOf(office), account.id)).emailAccount;
}

/** Sends an e-mail of the organization and returns it as the mail server received it. */
async function sendMail(office: Office): Promise<string> {
  const to = anEmail();
  const db = dbOf(office);
  await transaction(db, (tx) =>
    queueMessages(tx, dependencies.transports, [
      { id: newId(), channel: "email", template: "test", recipient: null, to, subject: "Water", text: "Off at noon.", html: null },
    ]),
  );
  await deliverQueued(db, dependencies.transports, clients);
  return smtp.mails.find((mail) => mail.includes(`To: ${to}`))!;
}
const headerOf = (mail: string, name: string) => new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, "im").exec(mail)?.[1]?.replaceAll(/\r\n[ \t]+/g, " ");

/** Verifies the DKIM signature of a mail with a public key, as a receiver does (RFC 6376, relaxed/relaxed). */
function isSigned(mail: string, publicKey: string): boolean {
  const [head, body] = [mail.slice(0, mail.indexOf("\r\n\r\n")), mail.slice(mail.indexOf("\r\n\r\n") + 4)];
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const relaxed = (line: string) =>
    `${line.slice(0, line.indexOf(":")).toLowerCase().trim()}:${line
      .slice(line.indexOf(":") + 1)
      .replaceAll(/[ \t]+/g, " ")
      .trim()}`;
  const signature = unfolded.find((line) => /^dkim-signature:/i.test(line))!;
  const tag = (name: string) => new RegExp(`[;: ]\\s*${name}=([^;]*)`).exec(signature)![1]!.replaceAll(/\s/g, "");
  const signed = tag("h")
    .split(":")
    .flatMap((name) => unfolded.find((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`)) ?? []);
  const verifier = createVerify("RSA-SHA256");
  verifier.update(signed.map((line) => `${relaxed(line)}\r\n`).join(""));
  verifier.update(relaxed(signature.replace(/([;: ]\s*b=)[^;]*/, "$1")));
  expect(body.length).toBeGreaterThan(0);
  return verifier.verify(createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" }), tag("b"), "base64");
}

describe("createEmailAccount", () => {
  test("returns the DNS records of a domain, and neither its private key nor the code of an address", async () => {
    const office = await anOffice();
    const address = `office@${aDomain()}`;
    const { emailAccount } = await office.call("createEmailAccount", { body: { address: address.toUpperCase(), kind: "domain", displayName: "Elm Street" } });
    expect(emailAccount).toMatchObject({ address, kind: "domain", status: "pending", isDefault: false, lastCheckedAt: null });
    expect(statuses(emailAccount)).toEqual({ spf: "pending", dkim: "pending", dmarc: "pending", return_path: "pending" });
    expect(emailAccount.inboundAddress).toMatch(/^inbound-[0-9a-f]{18}@/);
    expect(JSON.stringify(emailAccount)).not.toMatch(/PRIVATE|sealed|codeHash/i);
    const row = await dbOf(office).first(
      sql<{ key: Buffer }>`select dkim_key_sealed as key from email_account where organization_id = ${office.organizationId}`,
    );
    expect(row!.key.toString("latin1")).not.toContain("PRIVATE KEY");
  });

  test("accepts an address once in an organization, also for concurrent requests, and again after its deletion", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const body = { address: `office@${aDomain()}`, kind: "domain" as const };
    const attempts = await Promise.all([1, 2, 3].map(() => office.attempt("createEmailAccount", { body })));
    expect(attempts.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(attempts.find(({ status }) => status === 409)!.body.code).toBe("duplicate");
    expect((await other.attempt("createEmailAccount", { body })).status).toBe(200);
    const { emailAccount } = attempts.find(({ status }) => status === 200)!.body;
    await office.call("deleteEmailAccount", { params: { id: emailAccount.id } });
    expect((await office.attempt("createEmailAccount", { body })).status).toBe(200);
    expect((await office.attempt("getEmailAccount", { params: { id: emailAccount.id } })).status).toBe(404);
  });

  test("refuses the twenty-first account until one is deleted, and the forty-first of a day", async () => {
    const office = await anOffice();
    const add = () => office.attempt("createEmailAccount", { body: { address: anEmail(), kind: "forwarding" } });
    const added = await Promise.all(Array.from({ length: 22 }, add));
    expect(added.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(added.filter(({ status, body }) => status === 409 && body.code === "resource_in_use")).toHaveLength(2);
    const { emailAccounts } = await office.call("listEmailAccounts", { query: { pageSize: 100 } });
    for (const { id } of emailAccounts) await office.call("deleteEmailAccount", { params: { id } });
    for (let count = 20; count < 40; count++) expect((await add()).status).toBe(200);
    await office.call("deleteEmailAccount", { params: { id: (await office.call("listEmailAccounts")).emailAccounts[0]!.id } });
    expect((await add()).status).toBe(429);
  });

  test("refuses mailboxes, since there are no integrations, and other roles than admin", async () => {
    const office = await anOffice();
    const manager = await office.colleague("manager");
    const { status, body } = await office.attempt("createEmailAccount", { body: { address: anEmail(), kind: "mailbox" } });
    expect([status, body.code]).toEqual([412, "integration_not_connected"]);
    expect((await manager.attempt("createEmailAccount", { body: { address: anEmail(), kind: "domain" } })).status).toBe(403);
    expect((await manager.attempt("listEmailAccounts")).body).toMatchObject({ emailAccounts: [], total: 0 });
  });
});

describe("verifyEmailAccount of a domain", () => {
  test("names each record that is missing or has another value, with what was found, and verifies the account once all are right", async () => {
    const office = await anOffice();
    const account = await aDomainAccount(office);
    const [spf, dkim, dmarc] = account.dnsRecords;
    expect(statuses(await verify(office, account.id))).toEqual({ spf: "missing", dkim: "missing", dmarc: "missing", return_path: "missing" });
    dns.records.set(`TXT ${spf!.name}`, ["google-site-verification=1", "v=spf1 include:other.example -all"]);
    dns.records.set(`TXT ${dkim!.name}`, [dkim!.value]);
    dns.records.set(`TXT ${dmarc!.name}`, ["v=DMARC1; p=reject"]);
    const partly = await verify(office, account.id);
    expect(partly.status).toBe("pending");
    expect(statuses(partly)).toEqual({ spf: "mismatch", dkim: "verified", dmarc: "verified", return_path: "missing" });
    expect(partly.dnsRecords[0]!.found).toEqual(["v=spf1 include:other.example -all"]);
    publishRecords(account);
    expect(await verify(office, account.id)).toMatchObject({ status: "verified", lastCheckedAt: expect.any(String) });
  });

  test("keeps the status while DNS does not respond, in bounded time", async () => {
    const office = await anOffice();
    const account = await aDefaultDomain(office);
    dns.goSilent(true);
    try {
      const unreachable = await verify(office, account.id);
      expect(unreachable.status).toBe("verified");
      expect(new Set(unreachable.dnsRecords.map(({ status }) => status))).toEqual(new Set(["unreachable"]));
    } finally {
      dns.goSilent(false);
    }
  });

  test("is refused for a disabled account, which sends nothing until it is verified again", async () => {
    const office = await anOffice();
    const account = await aDefaultDomain(office);
    const params = { id: account.id };
    await office.call("updateEmailAccount", { params, body: { isDisabled: true } });
    expect((await office.attempt("verifyEmailAccount", { params, body: {} })).body.code).toBe("invalid_transition");
    const outdated = await office.attempt("verifyEmailAccount", { params, body: {}, headers: { "If-Match": '"999"' } });
    expect(outdated.body.code).toBe("version_conflict");
    expect(headerOf(await sendMail(office), "From")).toBe("Freehold <no-reply@freehold.example>");
    expect((await office.call("updateEmailAccount", { params, body: { isDisabled: false } })).emailAccount.status).toBe("pending");
    await verify(office, account.id);
    expect(headerOf(await sendMail(office), "From")).toContain(account.address);
  });
});

describe("checkEmailAccounts", () => {
  test("fails a domain a day later whose records are gone, falls back to the sender of the system, and recovers", async () => {
    const office = await anOffice();
    const account = await aDefaultDomain(office);
    const db = dbOf(office);
    const aDayLater = () => db.all(sql`update email_account set last_checked_at = now() - interval '25 hours' where organization_id = ${db.organizationId}`);
    const { dnsRecords } = account;
    dns.records.delete(`TXT ${dnsRecords[1]!.name}`);
    expect((await checkEmailAccounts(db, dependencies.lookUp)).getTime()).toBeGreaterThan(Date.now());
    expect((await office.call("getEmailAccount", { params: { id: account.id } })).emailAccount.status).toBe("verified");
    await aDayLater();
    await Promise.all([1, 2].map(() => checkEmailAccounts(db, dependencies.lookUp)));
    expect((await office.call("getEmailAccount", { params: { id: account.id } })).emailAccount).toMatchObject({ status: "failed", isDefault: true });
    expect(headerOf(await sendMail(office), "From")).toBe("Freehold <no-reply@freehold.example>");
    const notifications = await eventually("notification", async () => {
      const list = await office.call("listNotifications", { query: { type: "email_account.failed" } });
      return list.total > 0 && list.notifications;
    });
    expect(notifications).toMatchObject([{ entityId: account.id, priority: "high" }]);
    publishRecords(account);
    await aDayLater();
    await checkEmailAccounts(db, dependencies.lookUp);
    expect(headerOf(await sendMail(office), "From")).toContain(account.address);
  });
});

describe("the default account", () => {
  test("of a verified domain sends every e-mail with its name and a DKIM signature that its record verifies", async () => {
    const office = await anOffice();
    const account = await aDefaultDomain(office);
    await office.call("updateEmailAccount", { params: { id: account.id }, body: { replyTo: "desk@elm.example" } });
    const mail = await sendMail(office);
    expect(headerOf(mail, "From")).toBe(`Elm Street <${account.address}>`);
    expect(headerOf(mail, "Reply-To")).toBe("desk@elm.example");
    const key = /p=(.*)$/.exec(account.dnsRecords[1]!.value)![1]!;
    expect(isSigned(mail, key)).toBe(true);
    expect(isSigned(mail.replace("Subject: Water", "Subject: Wine"), key)).toBe(false);
  });

  test("is refused while it is not verified, is one at a time, and may be deleted", async () => {
    const office = await anOffice();
    const pending = await aDomainAccount(office);
    const refused = await office.attempt("setDefaultEmailAccount", { params: { id: pending.id } });
    expect([refused.status, refused.body.code]).toEqual([412, "email_account_not_verified"]);
    const accounts = [await aDefaultDomain(office), await aDefaultDomain(office)];
    await Promise.all([0, 1, 0, 1].map((index) => setDefaultEmailAccount(dbOf(office), accounts[index]!.id)));
    const { emailAccounts } = await office.call("listEmailAccounts", { query: { status: "verified" } });
    const [current, ...others] = emailAccounts.filter(({ isDefault }) => isDefault);
    expect(others).toEqual([]);
    await office.call("deleteEmailAccount", { params: { id: current!.id } });
    expect(headerOf(await sendMail(office), "From")).toBe("Freehold <no-reply@freehold.example>");
  });
});

describe("testEmailAccount", () => {
  test("sends an e-mail from the account to the caller, also beside another default, and not from an account that is not verified", async () => {
    const office = await anOffice();
    await aDefaultDomain(office);
    const account = await aDomainAccount(office);
    const db = dbOf(office, office.userId);
    await expect(testEmailAccount(db, dependencies, account.id)).rejects.toMatchObject({ status: 412, code: "email_account_not_verified" });
    publishRecords(account);
    await verify(office, account.id);
    expect((await testEmailAccount(db, dependencies, account.id)).delivery).toMatchObject({ channel: "email", status: "queued", toAddress: office.email });
    await deliverQueued(db, dependencies.transports, clients);
    const mail = smtp.mails.find((each) => each.includes(`To: ${office.email}`) && each.includes(account.address))!;
    expect(headerOf(mail, "From")).toBe(`Elm Street <${account.address}>`);
  });
});

describe("a forwarding address", () => {
  const codeFor = async (office: Office, address: string) =>
    eventually("code", async () => {
      const { messages } = await new Client(office.baseUrl).call("listDevOutbox", { query: { to: address } });
      return /code: (\d{8})/.exec(messages[0]?.text ?? "")?.[1];
    });

  test("is confirmed by the code that is mailed to it, and then the address for replies", async () => {
    const office = await anOffice();
    const address = anEmail();
    const { emailAccount } = await office.call("createEmailAccount", { body: { address, kind: "forwarding", displayName: "Elm Street" } });
    const params = { id: emailAccount.id };
    expect(emailAccount).toMatchObject({ status: "pending", dnsRecords: [] });
    const code = await codeFor(office, address);
    const again = await office.attempt("verifyEmailAccount", { params, body: {} });
    expect([again.status, again.headers.has("retry-after")]).toEqual([429, true]);
    const wrong = await office.attempt("verifyEmailAccount", { params, body: { code: code === "00000000" ? "1" : "00000000" } });
    expect(wrong.body.errors).toMatchObject([{ path: "code", code: "mismatch" }]);
    expect((await office.call("verifyEmailAccount", { params, body: { code } })).emailAccount.status).toBe("verified");
    await office.call("setDefaultEmailAccount", { params });
    const mail = await sendMail(office);
    expect([headerOf(mail, "From"), headerOf(mail, "Reply-To")]).toEqual(["Elm Street <no-reply@freehold.example>", address]);
    expect(mail).not.toMatch(/DKIM-Signature/i);
  });

  test("is not confirmed by guessing: after five wrong codes the right one has ended", async () => {
    const office = await anOffice();
    const address = anEmail();
    const { emailAccount } = await office.call("createEmailAccount", { body: { address, kind: "forwarding" } });
    const params = { id: emailAccount.id };
    const code = await codeFor(office, address);
    const wrong = code === "12345678" ? "87654321" : "12345678";
    await Promise.all(Array.from({ length: 8 }, () => office.attempt("verifyEmailAccount", { params, body: { code: wrong } })));
    expect((await office.attempt("verifyEmailAccount", { params, body: { code } })).status).toBe(400);
    expect((await office.call("getEmailAccount", { params })).emailAccount.status).toBe("pending");
  });
});
