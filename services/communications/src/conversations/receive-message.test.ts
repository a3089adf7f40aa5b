import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { newId } from "@freehold/kit/db/entity";
import { OrgDb } from "@freehold/kit/db/org-db";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { testClients } from "../../test/clients.ts";
import { database as definition } from "../database.ts";
import { aPhone } from "../webhooks/webhooks.fixtures.ts";
import { receiveMessage, type ReceivedMessage } from "./receive-message.ts";

let database: Awaited<ReturnType<typeof openDatabase>>;
const clients = testClients();
beforeAll(async () => {
  database = await openDatabase(definition, running().databaseUrls.communications.service, 4);
});
afterAll(() => database.close());

/** Passes a text message or e-mail on, as a webhook receiver does. */
const receive = (office: Office, message: Partial<ReceivedMessage> & Pick<ReceivedMessage, "from">) =>
  receiveMessage(new OrgDb(database, systemPrincipal(office.organizationId)), clients, {
    channel: "sms",
    to: ["+15185550000"],
    subject: null,
    body: "Hello",
    externalId: newId(),
    ...message,
  });

async function aTenantWithConsent(office: Office) {
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone: aPhone() } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  return { id: tenant.id, phone: tenant.phone!, email: tenant.email! };
}
const read = (office: Office, id: string) => office.call("getConversation", { params: { id } });

describe("receiveMessage", () => {
  test("starts a conversation with the sender, and continues it", async () => {
    const office = await anOffice();
    const tenant = await aTenantWithConsent(office);
    const first = await receive(office, { from: tenant.phone, body: " The tap drips. ", externalId: "SM1" });
    const second = await receive(office, { from: tenant.phone.slice(2), body: "And the sink." });
    expect(second).toMatchObject({ status: "received", conversationId: (first as { conversationId: string }).conversationId });
    const { conversation, messages } = await read(office, (first as { conversationId: string }).conversationId);
    expect(conversation).toMatchObject({ participantId: tenant.id, channels: ["sms"], unreadCount: 2, status: "open" });
    expect(messages).toMatchObject([
      { body: "The tap drips.", channel: "sms", senderType: "tenant", senderId: tenant.id, fromAddress: tenant.phone, smsSid: "SM1" },
      { body: "And the sink." },
    ]);
  });

  test("adds a repeated message once, also when repetitions arrive at the same time", async () => {
    const office = await anOffice();
    const tenant = await aTenantWithConsent(office);
    const receipts = await Promise.all(Array.from({ length: 6 }, () => receive(office, { from: tenant.phone, externalId: "SM2" })));
    expect(receipts.map(({ status }) => status).sort()).toEqual([...Array<string>(5).fill("duplicate"), "received"]);
    expect((await office.call("listConversations")).conversations).toMatchObject([{ unreadCount: 1 }]);
  });

  test("adds an answer to the conversation of the e-mail, and reopens it when it is closed, but not when it is archived", async () => {
    const office = await anOffice();
    const tenant = await aTenantWithConsent(office);
    const { conversation, messages } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, subject: "Keys", message: { body: "Ready.", channel: "email" } },
    });
    const params = { id: conversation.id };
    // Answers from an address that the office does not know.
    const answer = () =>
      receive(office, { channel: "email", from: anEmail(), subject: "Re: Keys", body: "Thank you.", inReplyTo: [messages[0]!.emailMessageId!] });
    await office.call("updateConversation", { params, body: { status: "closed" } });
    expect(await answer()).toMatchObject({ status: "received", conversationId: conversation.id });
    expect((await read(office, conversation.id)).conversation).toMatchObject({ status: "open", unreadCount: 1 });
    for (const status of ["closed", "archived"] as const) await office.call("updateConversation", { params, body: { status } });
    const receipt = await answer();
    expect(receipt).toMatchObject({ status: "received", conversationId: expect.not.stringContaining(conversation.id) });
    expect((await read(office, (receipt as { conversationId: string }).conversationId)).conversation.subject).toBe("Re: Keys");
  });

  test("ends text messages at once with STOP, until START, and keeps the consent", async () => {
    const office = await anOffice();
    const tenant = await aTenantWithConsent(office);
    const { conversation } = await office.call("createConversation", { body: { participantType: "tenant", participantId: tenant.id } });
    const attempt = async () => {
      const { status, body } = await office.attempt("sendConversationMessage", { params: { id: conversation.id }, body: { body: "Hello", channel: "sms" } });
      return status === 200 ? 200 : body.code;
    };
    expect(await attempt()).toBe(200);
    await receive(office, { from: tenant.phone, body: "Stop." });
    expect(await attempt()).toBe("sms_consent_missing");
    const start = { from: tenant.phone, body: "start", externalId: "SM-start", receivedAt: new Date() };
    await receive(office, start);
    expect(await attempt()).toBe(200);
    await receive(office, { from: tenant.phone, body: "STOP" });
    expect(await receive(office, start)).toMatchObject({ status: "duplicate" });
    expect(await attempt()).toBe("sms_consent_missing");
    await receive(office, { from: tenant.phone, body: "start" });
    expect(await attempt()).toBe(200);
    const stranger = aPhone();
    expect(await receive(office, { from: stranger, body: "STOP" })).toEqual({ status: "unmatched" });
    const body = { phone: stranger, smsConsent: { granted: true, source: "phone call" } };
    expect(await office.attempt("updateTenant", { params: { id: tenant.id }, body })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
  });

  test("shows STOP in the consent of the tenant and of the account until START, and refuses consent meanwhile", async () => {
    const office = await anOffice();
    const { id, phone } = await aTenantWithConsent(office);
    const user = await office.tenantUser(id);
    await user.call("changeMyPhone", { body: { phone } });
    await user.call("changeMyConsent", { body: { smsConsent: true } });
    const shows = (consent: object, granted: boolean) =>
      eventually(`consent ${granted}`, async () => {
        const [{ tenants }, { tenant }, me] = await Promise.all([office.call("listTenants"), office.call("getTenant", { params: { id } }), user.call("getMe")]);
        if (tenant.smsConsent.granted !== granted || me.user.smsConsent.granted !== granted) return false;
        expect([tenants[0]!.smsConsent, tenant.smsConsent, me.user.smsConsent]).toMatchObject([consent, consent, { granted, at: tenant.smsConsent.at }]);
        return true;
      });
    const stoppedAt = new Date();
    await receive(office, { from: phone, body: "STOP", receivedAt: stoppedAt });
    await shows({ granted: false, at: stoppedAt.toISOString(), source: "STOP" }, false);
    const consent = { smsConsent: { granted: true, source: "signed lease" } };
    expect(await office.attempt("updateTenant", { params: { id }, body: consent })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    expect(await user.attempt("changeMyConsent", { body: { smsConsent: true } })).toMatchObject({ status: 409, body: { code: "invalid_transition" } });
    await receive(office, { from: phone, body: "START" });
    await shows({ granted: true, source: "START" }, true);
  });

  test("never gives a vendor what a tenant sends from an address that the vendor has entered in the portal", async () => {
    const office = await anOffice();
    const { vendor } = await office.call("createVendor", { body: { name: "Elm Plumbing", email: anEmail(), phone: aPhone() } });
    const user = await office.vendorUser(vendor.id);
    const tenant = await aTenantWithConsent(office);
    const { conversation } = await office.call("createConversation", { body: { participantType: "vendor", participantId: vendor.id } });
    const params = { id: conversation.id };
    await user.call("updateVendorPortalMe", { body: { email: tenant.email, phone: tenant.phone } });
    // An e-mail of the office to the vendor reaches the tenant, who answers it.
    const { message } = await office.call("sendConversationMessage", { params, body: { body: "When?", channel: "email" } });
    await user.call("sendVendorConversationMessage", { params, body: { body: "At nine." } });
    const texts = [
      await receive(office, { from: tenant.phone, body: "My door code is 1234." }),
      await receive(office, { channel: "email", from: tenant.email, body: "I am away." }),
      await receive(office, { channel: "email", from: tenant.email, body: "Not me.", inReplyTo: [message.emailMessageId!] }),
    ];
    for (const receipt of texts)
      expect((await read(office, (receipt as { conversationId: string }).conversationId)).conversation).toMatchObject({ participantId: tenant.id });
    const { messages } = await user.call("getVendorConversation", { params });
    expect(messages.map(({ body }) => body)).toEqual(["When?", "At nine."]);
  });

  test("finds of several persons with the address the one with whom the latest message was exchanged there, else a tenant before a vendor", async () => {
    const office = await anOffice();
    const [phone, email] = [aPhone(), anEmail()];
    const { vendor } = await office.call("createVendor", { body: { name: "Ruiz Repairs", phone } });
    const aResident = async (fullName: string) => {
      const { tenant } = await office.call("createTenant", { body: { fullName, email, phone } });
      await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
      const { conversation } = await office.call("createConversation", { body: { participantType: "tenant", participantId: tenant.id } });
      const write = (channel: "sms" | "in_app") =>
        office.call("sendConversationMessage", { params: { id: conversation.id }, body: { body: "Hello", channel } });
      return { id: tenant.id, write };
    };
    const participantOf = async (message: Partial<ReceivedMessage> & Pick<ReceivedMessage, "from">) => {
      const receipt = await receive(office, message);
      return (await read(office, (receipt as { conversationId: string }).conversationId)).conversation.participantId;
    };
    const ana = await aResident("Ana Ruiz");
    await office.call("createConversation", {
      body: { participantType: "vendor", participantId: vendor.id, message: { body: "Hello", channel: "in_app" } },
    });
    expect(await participantOf({ from: phone })).toBe(ana.id);
    const ben = await aResident("Ben Ruiz");
    await ben.write("in_app");
    expect(await participantOf({ from: phone })).toBe(ana.id);
    await ben.write("sms");
    await ana.write("in_app");
    expect(await participantOf({ from: phone })).toBe(ben.id);
    // No e-mail was exchanged yet.
    expect(await participantOf({ channel: "email", from: email })).toBe(ben.id);
  });

  test("does not know senders of another organization, and truncates long texts", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const tenant = await aTenantWithConsent(office);
    expect(await receive(other, { from: tenant.phone })).toEqual({ status: "unmatched" });
    const receipt = await receive(office, { channel: "email", from: tenant.email.toUpperCase(), subject: "Long", body: "x".repeat(5_001) });
    const { messages } = await read(office, (receipt as { conversationId: string }).conversationId);
    expect(messages).toMatchObject([{ metadata: { isTruncated: true, subject: "Long" } }]);
    expect(messages[0]!.body).toHaveLength(5_000);
  });
});
