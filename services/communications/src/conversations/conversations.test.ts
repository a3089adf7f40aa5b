import { describe, expect, test } from "@jest/globals";
import { newId } from "@freehold/kit/db/entity";
import { localDateOf } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { eventually } from "../../../../test/support/eventually.ts";

let nextNumber = 0;
/** Returns a phone number that no other test uses. */
const aPhone = () => `+1217555${String((nextNumber += 1)).padStart(4, "0")}`;

/** Creates a tenant with addresses, who consents to text messages. */
async function aReachableTenant(office: Office) {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone: aPhone() } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  return tenant;
}

const start = (office: Office, tenantId: string, terms: object = {}) =>
  office.call("createConversation", { body: { participantType: "tenant", participantId: tenantId, ...terms } as never });
const send = (office: Office, id: string, message: { body: string; channel: "in_app" | "sms" | "email"; documentIds?: string[] }) =>
  office.attempt("sendConversationMessage", { params: { id }, body: message });
const outboxOf = async (office: Office, to: string) => (await office.call("listDevOutbox", { query: { to } })).messages;

describe("createConversation", () => {
  test("starts a conversation with the name and addresses of the participant, and sends the first message", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation, messages } = await start(office, tenant.id, { subject: "Keys", message: { body: "The keys are ready.", channel: "in_app" } });
    expect(conversation).toMatchObject({
      participantId: tenant.id,
      participantType: "tenant",
      participantName: "Ana Ruiz",
      participantEmail: tenant.email,
      participantPhone: tenant.phone,
      channels: ["in_app"],
      status: "open",
      subject: "Keys",
      latestMessagePreview: "The keys are ready.",
      unreadCount: 0,
    });
    expect(messages).toMatchObject([{ body: "The keys are ready.", senderType: "staff", senderId: office.userId, senderName: "Ada Admin", fromAddress: null }]);
    expect(conversation.lastMessageAt).toBe(messages[0]!.createdAt);
  });

  test("uses an open conversation with the same participant and subject, also for concurrent requests, unless another one is requested", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const concurrent = await Promise.all(Array.from({ length: 6 }, () => start(office, tenant.id, { subject: "Keys" })));
    const ids = new Set(concurrent.map(({ conversation }) => conversation.id));
    expect(ids.size).toBe(1);
    const [id] = [...ids] as [string];
    expect((await start(office, tenant.id, { subject: "Keys", channels: ["email"] })).conversation).toMatchObject({ id, channels: ["in_app", "email"] });
    for (const terms of [{ subject: "Rent" }, {}, { subject: "Keys", forceNew: true }])
      expect((await start(office, tenant.id, terms)).conversation.id).not.toBe(id);
    await office.call("updateConversation", { params: { id }, body: { status: "closed" } });
    expect(ids.has((await start(office, tenant.id, { subject: "Keys" })).conversation.id)).toBe(false);
  });

  test("refuses an unknown, a deleted and another organization's participant by name, and starts nothing when the message is refused", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const [deleted, foreign] = [await aReachableTenant(office), await aReachableTenant(other)];
    await office.call("deleteTenant", { params: { id: deleted.id } });
    const attempt = (body: object) => office.attempt("createConversation", { body: { participantType: "tenant", ...body } as never });
    for (const participantId of [newId(), deleted.id, foreign.id])
      expect((await attempt({ participantId })).body.errors).toMatchObject([{ path: "participantId", code: "not_found" }]);
    const { tenant } = await office.call("createTenant", { body: { fullName: "No Address" } });
    const refused = await attempt({ participantId: tenant.id, message: { body: "Hello", channel: "email" } });
    expect([refused.status, refused.body.code]).toEqual([412, "recipient_address_missing"]);
    expect((await office.call("listConversations")).total).toBe(0);
  });

  test("sends the message once for a repeated idempotency key", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const headers = { "Idempotency-Key": newId() };
    const body = { participantType: "tenant" as const, participantId: tenant.id, message: { body: "Once.", channel: "email" as const } };
    const responses = await Promise.all([1, 2, 3].map(() => office.attempt("createConversation", { body, headers })));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(await outboxOf(office, tenant.email!)).toHaveLength(1);
  });
});

describe("sendConversationMessage", () => {
  test("delivers a message in the portal at once, and e-mails and text messages through their providers", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id, { subject: "Water" });
    const inApp = await send(office, conversation.id, { body: "In the portal.", channel: "in_app" });
    expect(inApp.body.delivery).toMatchObject({
      channel: "in_app",
      status: "delivered",
      provider: "in_app",
      toAddress: null,
      history: [{ status: "delivered" }],
    });
    const email = await send(office, conversation.id, { body: "The water is off.\nUntil noon.", channel: "email" });
    expect(email.body.delivery).toMatchObject({ status: "sent", provider: "outbox", toAddress: tenant.email, error: null, skipReason: null });
    expect(email.body.message).toMatchObject({ toAddresses: [tenant.email], emailMessageId: expect.stringMatching(/^<.*@.*>$/) });
    expect(await outboxOf(office, tenant.email!)).toMatchObject([{ channel: "email", subject: "Water", text: expect.stringContaining("Until noon.") }]);
    await send(office, conversation.id, { body: "Water is off.", channel: "sms" });
    expect(await outboxOf(office, tenant.phone!)).toMatchObject([{ channel: "sms", text: "Water is off.", subject: null }]);
    const read = await office.call("getConversation", { params: { id: conversation.id } });
    expect(read.conversation.channels).toEqual(["in_app", "email", "sms"]);
    expect(read.messages.map(({ channel }) => channel)).toEqual(["in_app", "email", "sms"]);
    expect(read.deliveries.map(({ messageId }) => messageId)).toEqual(read.messages.map(({ id }) => id));
  });

  test("refuses a text message without consent, after its withdrawal, and by whom it was withdrawn last", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const params = { id: tenant.id };
    const { conversation } = await start(office, tenant.id);
    const attempt = async () => {
      const { status, body } = await send(office, conversation.id, { body: "Hello", channel: "sms" });
      return status === 200 ? 200 : body.code;
    };
    expect(await attempt()).toBe(200);
    await office.call("updateTenant", { params, body: { smsConsent: { granted: false, source: "phone call" } } });
    expect(await attempt()).toBe("sms_consent_missing");
    await office.call("updateTenant", { params, body: { smsConsent: { granted: true, source: "phone call" } } });
    expect(await attempt()).toBe(200);
    const user = await office.tenantUser(tenant.id);
    await user.call("changeMyConsent", { body: { smsConsent: false } });
    expect(await attempt()).toBe("sms_consent_missing");
    await user.call("changeMyPhone", { body: { phone: tenant.phone! } });
    await user.call("changeMyConsent", { body: { smsConsent: true } });
    expect(await attempt()).toBe(200);
    await user.call("changeMyConsent", { body: { smsConsent: false } });
    expect(await attempt()).toBe("sms_consent_missing");
    await office.call("updateTenant", { params, body: { phone: null } });
    await user.call("changeMyPhone", { body: { phone: aPhone() } });
    expect(await attempt()).toBe("sms_consent_missing");
  });

  test("refuses closed and archived conversations, and too long text messages", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id);
    expect((await send(office, conversation.id, { body: "x".repeat(5_001), channel: "sms" })).body.errors).toMatchObject([{ path: "body", code: "too_long" }]);
    expect((await send(office, conversation.id, { body: "x".repeat(5_001), channel: "email" })).body.errors).toMatchObject([{ path: "body" }]);
    for (const status of ["closed", "archived"] as const) {
      await office.call("updateConversation", { params: { id: conversation.id }, body: { status } });
      expect((await send(office, conversation.id, { body: "Hello", channel: "in_app" })).body.code).toBe("invalid_transition");
    }
  });

  test("attaches documents that are shared with the participant, and no others", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id);
    const upload = async (visibility: "tenant_shared" | "organization_only") => {
      const file = new File(["Three rooms.\n"], "plan.txt");
      return (await office.call("uploadDocument", { body: { file, entityType: "tenant", entityId: tenant.id, visibility } })).document.id;
    };
    const [shared, internal] = [await upload("tenant_shared"), await upload("organization_only")];
    const attempt = (channel: "in_app" | "sms" | "email", ...documentIds: string[]) =>
      send(office, conversation.id, { body: "See the plan.", channel, documentIds });
    expect((await attempt("in_app", newId())).body.errors).toMatchObject([{ path: "documentIds.0", code: "not_found" }]);
    expect((await attempt("in_app", shared, internal)).body.errors).toMatchObject([{ path: "documentIds.1", code: "not_allowed" }]);
    expect((await attempt("sms", shared)).body.errors).toMatchObject([{ path: "documentIds", code: "not_allowed" }]);
    expect((await attempt("email", shared, shared)).body.message.documentIds).toEqual([shared]);
  });

  test("sends by e-mail links to the documents that work without a sign-in, expire after seven days, and end with the participant's access and the document", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id);
    const upload = async (name: string) => {
      const file = new File([`The file ${name}.\n`], name);
      return (await office.call("uploadDocument", { body: { file, entityType: "tenant", entityId: tenant.id, visibility: "tenant_shared" } })).document.id;
    };
    const documentIds = [await upload("plan.txt"), await upload("<b>rules.txt")];
    const earliest = Date.now();
    await send(office, conversation.id, { body: "See the plan.", channel: "email", documentIds });
    const [email] = await outboxOf(office, tenant.email!);
    const links = [...email!.text.matchAll(/^(\S+): (http\S+\/api\/document-links\/(\S+))$/gm)].map(([, name, url, token]) => ({
      name,
      url: url!,
      token: token!,
    }));
    expect(links.map(({ name }) => name)).toEqual(["plan.txt", "brules.txt"]);
    for (const { url, token } of links) {
      expect(email!.html).toContain(`href="${url}"`);
      const expiresAt = Buffer.from(token, "base64url").readUIntBE(32, 6);
      expect(expiresAt - earliest).toBeGreaterThanOrEqual(7 * 86_400_000);
      expect(expiresAt - Date.now()).toBeLessThanOrEqual(7 * 86_400_000);
    }
    const contentOf = async (url: string) => {
      const response = await fetch(url);
      return response.status === 200 ? response.text() : response.status;
    };
    expect(await contentOf(links[0]!.url)).toBe("The file plan.txt.\n");
    const share = (visibility: "organization_only" | "tenant_shared") =>
      office.call("updateDocument", { params: { id: documentIds[0]! }, body: { visibility } });
    await share("organization_only");
    expect(await contentOf(links[0]!.url)).toBe(404);
    await share("tenant_shared");
    expect(await contentOf(links[0]!.url)).toBe("The file plan.txt.\n");
    await office.call("deleteDocument", { params: { id: documentIds[0]! } });
    expect(await Promise.all(links.map(({ url }) => contentOf(url)))).toEqual([404, "The file <b>rules.txt.\n"]);
    await send(office, conversation.id, { body: "In the portal.", channel: "in_app", documentIds: [documentIds[1]!] });
    expect(await outboxOf(office, tenant.email!)).toHaveLength(1);
  });

  test("numbers the messages of concurrent requests without gaps", async () => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id);
    const user = await office.tenantUser(tenant.id);
    const params = { id: conversation.id };
    await Promise.all([
      ...Array.from({ length: 6 }, (_, index) => send(office, conversation.id, { body: `Office ${index}`, channel: "in_app" })),
      ...Array.from({ length: 4 }, (_, index) => user.call("sendTenantConversationMessage", { params, body: { body: `Tenant ${index}` } })),
    ]);
    const { messages, total } = await office.call("listConversationMessages", { params, query: { pageSize: 100, sortDirection: "asc" } });
    expect(total).toBe(10);
    expect((await office.call("getConversation", { params })).conversation).toMatchObject({ unreadCount: 4, latestMessagePreview: messages.at(-1)!.body });
    expect((await user.call("getTenantConversation", { params })).conversation.unreadCount).toBe(6);
  });
});

describe("updateConversation", () => {
  test.each([
    [["closed"], true],
    [["archived"], false],
    [["open"], false],
    [["closed", "open"], true],
    [["closed", "archived"], true],
    [["closed", "archived", "open"], false],
    [["closed", "archived", "closed"], false],
  ] as const)("permits %j: %s", async (statuses, isPermitted) => {
    const office = await anOffice();
    const tenant = await aReachableTenant(office);
    const { conversation } = await start(office, tenant.id);
    const results = [];
    for (const status of statuses) results.push(await office.attempt("updateConversation", { params: { id: conversation.id }, body: { status } }));
    expect(results.at(-1)!.status).toBe(isPermitted ? 200 : 409);
    if (isPermitted) expect(results.at(-1)!.body.conversation.status).toBe(statuses.at(-1));
  });
});

describe("listConversations", () => {
  test("filters, sorts by the latest message, and counts all unread messages", async () => {
    const office = await anOffice();
    const [first, second] = [await aReachableTenant(office), await aReachableTenant(office)];
    const [a, b] = [(await start(office, first.id, { subject: "Leak" })).conversation, (await start(office, second.id, { subject: "Keys" })).conversation];
    const user = await office.tenantUser(first.id);
    await user.call("sendTenantConversationMessage", { params: { id: a.id }, body: { body: "It still drips." } });
    await user.call("sendTenantConversationMessage", { params: { id: a.id }, body: { body: "More than before.", channel: "in_app" } });
    const ids = async (query: object = {}) => (await office.call("listConversations", { query: query as never })).conversations.map(({ id }) => id);
    expect(await ids()).toEqual([a.id, b.id]);
    expect(await ids({ sortBy: "createdAt" })).toEqual([b.id, a.id]);
    expect(await ids({ unreadOnly: true })).toEqual([a.id]);
    expect(await ids({ search: "than BEFORE" })).toEqual([a.id]);
    expect(await ids({ search: "keys" })).toEqual([b.id]);
    expect(await ids({ participantId: second.id })).toEqual([b.id]);
    expect(await ids({ participantType: "vendor" })).toEqual([]);
    expect(await ids({ participantType: "tenant,vendor" })).toEqual([a.id, b.id]);
    expect(await ids({ channel: "sms,email" })).toEqual([]);
    expect(await ids({ status: "closed" })).toEqual([]);
    expect(await office.call("listConversations", { query: { status: "closed" } })).toMatchObject({ total: 0, unreadTotal: 2 });
  });

  test("filters by the time or the day of the last change, which it includes", async () => {
    const office = await anOffice();
    const { conversation } = await start(office, (await aReachableTenant(office)).id);
    const { updatedAt } = conversation;
    const isListed = async (updatedBefore: string) => (await office.call("listConversations", { query: { updatedBefore } })).total === 1;
    expect([await isListed(updatedAt), await isListed(new Date(Date.parse(updatedAt) - 1).toISOString())]).toEqual([true, false]);
    // The day of the office, which is in New York.
    const day = localDateOf(updatedAt, "America/New_York");
    expect([await isListed(day), await isListed(addDays(day, -1))]).toEqual([true, false]);
    for (const updatedBefore of ["2026-02-29", "yesterday", "2026-02-01T00:00:00"]) {
      const { status, body } = await office.attempt("listConversations", { query: { updatedBefore } });
      expect([status, body.errors]).toMatchObject([400, [{ path: "updatedBefore", code: "format" }]]);
    }
  });
});

describe("markConversationRead", () => {
  test("counts per reader, up to a message, and never backwards", async () => {
    const office = await anOffice();
    const [staff, tenant] = [await office.colleague("staff"), await aReachableTenant(office)];
    const { conversation } = await start(office, tenant.id, { message: { body: "Hello", channel: "in_app" } });
    const user = await office.tenantUser(tenant.id);
    const params = { id: conversation.id };
    for (const body of ["One", "Two", "Three"]) await user.call("sendTenantConversationMessage", { params, body: { body } });
    const { messages } = await office.call("getConversation", { params });
    const read = async (reader: Office | typeof staff, throughMessageId?: string) =>
      (await reader.call("markConversationRead", { params, body: { ...(throughMessageId && { throughMessageId }) } })).conversation.unreadCount;
    expect(await read(office, messages[2]!.id)).toBe(1);
    expect(await read(office, messages[1]!.id)).toBe(1);
    expect(await read(office)).toBe(0);
    expect((await staff.call("getConversation", { params })).conversation.unreadCount).toBe(3);
    expect((await user.call("markTenantConversationRead", { params, body: {} })).conversation.unreadCount).toBe(0);
    const unknown = await office.attempt("markConversationRead", { params, body: { throughMessageId: newId() } });
    expect(unknown.body.errors).toMatchObject([{ path: "throughMessageId", code: "not_found" }]);
  });
});

describe("conversations of the portals", () => {
  test("are those of the caller alone, without addresses and provider ids of messages", async () => {
    const office = await anOffice();
    const [ana, bo] = [await aReachableTenant(office), await aReachableTenant(office)];
    const { vendor } = await office.call("createVendor", { body: { name: "Elm Plumbing" } });
    const { conversation } = await start(office, ana.id, { message: { body: "By e-mail.", channel: "email" } });
    const withVendor = await office.call("createConversation", { body: { participantType: "vendor", participantId: vendor.id } });
    const [user, other, plumber] = [await office.tenantUser(ana.id), await office.tenantUser(bo.id), await office.vendorUser(vendor.id)];
    const params = { id: conversation.id };
    expect((await user.call("listTenantConversations")).conversations.map(({ id }) => id)).toEqual([conversation.id]);
    const { messages } = await user.call("getTenantConversation", { params });
    expect(messages).toMatchObject([{ body: "By e-mail.", senderName: "Ada Admin" }]);
    expect(Object.keys(messages[0]!)).not.toContain("fromAddress");
    expect((await other.call("listTenantConversations")).total).toBe(0);
    expect((await other.attempt("getTenantConversation", { params })).status).toBe(404);
    expect((await other.attempt("sendTenantConversationMessage", { params, body: { body: "Hi" } })).status).toBe(404);
    const vendorParams = { id: withVendor.conversation.id };
    const { message } = await plumber.call("sendVendorConversationMessage", { params: vendorParams, body: { body: "Tomorrow at nine." } });
    expect(message).toMatchObject({ senderType: "vendor", senderId: vendor.id, senderName: "Elm Plumbing" });
    expect((await plumber.attempt("getVendorConversation", { params })).status).toBe(404);
    expect((await office.call("listConversations", { query: { unreadOnly: true } })).conversations.map(({ id }) => id)).toEqual([withVendor.conversation.id]);
  });
});

describe("participants", () => {
  test("are followed when they change, are merged and are deleted", async () => {
    const office = await anOffice();
    const [survivor, duplicate] = [await aReachableTenant(office), await aReachableTenant(office)];
    const { conversation } = await start(office, duplicate.id, { subject: "Keys" });
    const read = async () => (await office.call("getConversation", { params: { id: conversation.id } })).conversation;
    await office.call("updateTenant", { params: { id: duplicate.id }, body: { fullName: "Ana Díaz" } });
    await eventually("new name", async () => (await read()).participantName === "Ana Díaz");
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } });
    expect((await send(office, conversation.id, { body: "Hello", channel: "email" })).body.message.toAddresses).toEqual([survivor.email]);
    await eventually("surviving tenant", async () => (await read()).participantId === survivor.id);
    await office.call("deleteTenant", { params: { id: survivor.id } });
    expect((await send(office, conversation.id, { body: "Hello", channel: "in_app" })).body.code).toBe("invalid_transition");
    await eventually("closed conversation", async () => (await read()).status === "closed");
    const reopened = await office.attempt("updateConversation", { params: { id: conversation.id }, body: { status: "open" } });
    expect([reopened.status, reopened.body.code]).toEqual([409, "invalid_transition"]);
  });
});
