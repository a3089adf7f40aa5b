import { afterAll, describe, expect, test } from "@jest/globals";
import { Client } from "../../../../../test/support/client.ts";
import { eventually } from "../../../../../test/support/eventually.ts";
import { createEventPublisher } from "../../../../../test/support/events/messages.ts";
import { waitForIdleJobs } from "../../../../../test/support/jobs.ts";
import { anEmail, anOffice, type Office } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { pageTexts } from "../../pdf/page-texts.fixtures.ts";
import { digestOf, statementLinks } from "./statement-link.rules.ts";

const publisher = createEventPublisher(running());
afterAll(() => publisher.close());

const JANUARY = { periodStart: "2026-01-01", periodEnd: "2026-01-31" };
const stranger = new Client(running().baseUrl);

/** Returns an owner whose statements are delivered as given. */
async function anOwnerWith(office: Office, statementDeliver: "email" | "portal" | "none") {
  const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email: anEmail(), statementDeliver } });
  return owner;
}

const generate = async (office: Office, ownerId: string) =>
  (await office.call("createOwnerStatement", { params: { id: ownerId }, body: JANUARY })).ownerStatement;
const read = async (office: Office, id: string) => (await office.call("getOwnerStatement", { params: { id } })).ownerStatement;
const mailsTo = async (email: string) => (await stranger.call("listDevOutbox", { query: { to: email } })).messages;
const waitForMails = (count: number, email: string) =>
  eventually(`${count} e-mails`, async () => {
    const mails = await mailsTo(email);
    return mails.length >= count && mails;
  });
const waitForSending = (office: Office, id: string) =>
  eventually("sent statement", async () => {
    const statement = await read(office, id);
    return statement.sentAt !== null && statement;
  });
const issued = (office: Office, statement: { id: string; ownerId: string }, eventId: string) => ({
  id: eventId,
  type: "owner_statement.issued",
  organizationId: office.organizationId,
  occurredAt: new Date().toISOString(),
  entityType: "owner_statement",
  entityId: statement.id,
  actorUserId: null,
  requestId: null,
  data: { ownerId: statement.ownerId, delivery: "email" },
  audience: { roles: [], tenantIds: [], ownerIds: [], vendorIds: [], userIds: [] },
});

describe("createOwnerStatement", () => {
  test("mails a link to the PDF to an owner who gets statements by e-mail, and records the time", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "email");
    const statement = await generate(office, owner.id);
    expect(statement.documentId).toBeNull();
    const [mail] = await waitForMails(1, owner.email);
    expect(mail!.subject).toBe("Your owner statement for January 1, 2026 to January 31, 2026");
    expect(mail!.text).toContain("Elm Street Management");
    expect(mail!.text).not.toContain("$");
    const link = mail!.links.find((each) => each.includes("/api/owner-statement-links/"))!;
    expect(mail!.html).toContain(link);
    const pdf = await stranger.raw("GET", new URL(link).pathname);
    expect([pdf.status, pdf.headers.get("content-type")]).toEqual([200, "application/pdf"]);
    expect(pageTexts(Buffer.from(await pdf.arrayBuffer())).join(" ")).toContain("Olga Owner");
    expect(await waitForSending(office, statement.id)).toMatchObject({ id: statement.id, sentAt: expect.any(String) });
  });

  test("notifies the portal user of an owner who gets statements in the portal, and is sent thereby", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "portal");
    const user = await office.ownerUser(owner.id);
    const statement = await generate(office, owner.id);
    expect(statement.sentAt).toEqual(expect.any(String));
    const notification = await eventually("notification", async () => {
      const { notifications } = await user.call("listNotifications", { query: { type: "owner_statement.issued" } });
      return notifications[0];
    });
    expect(notification).toMatchObject({ title: "Statement available", entityType: "owner_statement", entityId: statement.id });
    expect((await office.call("listNotifications", { query: { type: "owner_statement.issued" } })).total).toBe(0);
    await waitForIdleJobs("communications", office);
    expect((await mailsTo(owner.email)).filter(({ subject }) => subject?.includes("statement"))).toEqual([]);
  });

  test("sends nothing to an owner without a delivery, and to a deleted owner", async () => {
    const office = await anOffice();
    const [silent, deleted, last] = [await anOwnerWith(office, "none"), await anOwnerWith(office, "email"), await anOwnerWith(office, "email")];
    await office.call("deleteOwner", { params: { id: deleted.id } });
    const statements = [await generate(office, silent.id), await generate(office, deleted.id)];
    // The events of an organization are handled in their order.
    await waitForSending(office, (await generate(office, last.id)).id);
    for (const { id } of statements) expect(await read(office, id)).toMatchObject({ sentAt: null });
    expect([await mailsTo(silent.email), await mailsTo(deleted.email)]).toEqual([[], []]);
  });

  test("mails once, and keeps the time, however often the event arrives", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "none");
    const statement = await generate(office, owner.id);
    const eventId = statement.id;
    for (let time = 0; time < 3; time += 1) await publisher.publish(issued(office, statement, eventId));
    const { sentAt } = await waitForSending(office, statement.id);
    await publisher.publish(issued(office, statement, eventId));
    const later = await anOwnerWith(office, "email");
    await waitForSending(office, (await generate(office, later.id)).id);
    expect(await mailsTo(owner.email)).toHaveLength(1);
    expect((await read(office, statement.id)).sentAt).toBe(sentAt);
  });
});

describe("sendOwnerStatement", () => {
  test("sends a statement again, by the owner's delivery, by e-mail when it is none, or as requested", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "none");
    const { id } = await generate(office, owner.id);
    await office.call("sendOwnerStatement", { params: { id }, body: {} });
    await waitForMails(1, owner.email);
    const { sentAt } = await waitForSending(office, id);
    await office.call("sendOwnerStatement", { params: { id }, body: { delivery: "email" }, headers: { "Idempotency-Key": id } });
    const repeated = await office.attempt("sendOwnerStatement", { params: { id }, body: { delivery: "email" }, headers: { "Idempotency-Key": id } });
    expect([repeated.status, repeated.body.ownerStatement.sentAt]).toEqual([200, sentAt]);
    await office.call("updateOwner", { params: { id: owner.id }, body: { statementDeliver: "portal" } });
    await office.call("sendOwnerStatement", { params: { id }, body: {} });
    await waitForMails(2, owner.email);
    const later = await anOwnerWith(office, "email");
    await waitForSending(office, (await generate(office, later.id)).id);
    expect(await mailsTo(owner.email)).toHaveLength(2);
  });

  test("refuses staff, an unknown statement and that of a deleted owner", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "email");
    const { id } = await generate(office, owner.id);
    const staff = await office.colleague("staff");
    expect((await staff.attempt("sendOwnerStatement", { params: { id }, body: {} })).status).toBe(403);
    expect((await office.attempt("sendOwnerStatement", { params: { id: owner.id }, body: {} })).status).toBe(404);
    await office.call("deleteOwner", { params: { id: owner.id } });
    const refused = await office.attempt("sendOwnerStatement", { params: { id }, body: {} });
    expect([refused.status, refused.body.code]).toEqual([409, "invalid_transition"]);
  });
});

describe("followOwnerStatementLink", () => {
  test("ends with its expiry, and with the deletion or another address of the owner, and cannot be altered", async () => {
    const office = await anOffice();
    const owner = await anOwnerWith(office, "email");
    await generate(office, owner.id);
    const [mail] = await waitForMails(1, owner.email);
    const path = new URL(mail!.links.find((each) => each.includes("/api/owner-statement-links/"))!).pathname;
    const token = path.split("/").at(-1)!;
    const statusOf = async (each: string) => (await stranger.raw("GET", `/api/owner-statement-links/${each}`)).status;
    const altered = Array.from(token, (character, index) => token.slice(0, index) + (character === "A" ? "B" : "A") + token.slice(index + 1));
    for (const each of altered) expect(await statusOf(each)).toBe(404);
    expect(await statusOf(token)).toBe(200);
    await office.call("updateOwner", { params: { id: owner.id }, body: { email: anEmail() } });
    expect(await statusOf(token)).toBe(404);
    await office.call("updateOwner", { params: { id: owner.id }, body: { email: owner.email.toUpperCase() } });
    expect(await statusOf(token)).toBe(200);
    await office.call("deleteOwner", { params: { id: owner.id } });
    expect(await statusOf(token)).toBe(404);
  });

  test("has a token that expires, of its key only", () => {
    const links = statementLinks("a secret", "https://freehold.example");
    const linked = {
      organizationId: "019b0000-0000-7000-8000-000000000001",
      statementId: "019b0000-0000-7000-8000-000000000002",
      expiresAt: new Date(1_000),
      addressDigest: digestOf("olga@example.com"),
    };
    const token = links.issue(linked).split("/").at(-1)!;
    expect(links.verify(token, new Date(999))).toEqual(linked);
    expect(links.verify(token, new Date(1_000))).toBeUndefined();
    expect(statementLinks("another secret", "https://freehold.example").verify(token, new Date(999))).toBeUndefined();
  });
});
