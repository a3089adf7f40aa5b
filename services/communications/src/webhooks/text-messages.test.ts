/** Text messages that tenants and vendors send, from the request of the SMS provider to the conversation. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { Client } from "../../../../test/support/client.ts";
import { aConfirmedOffice, anEmail, anOffice, password, type Office } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { sendWebhook, smsForm, type ProviderRequest } from "../../../../test/support/providers/webhooks.ts";
import { publicUrl, smsAuthToken, startWebhookProcess } from "../../test/webhook-process.ts";
import { aCorrespondent, aPhone, eventOf, read } from "./webhooks.fixtures.ts";

let process: Awaited<ReturnType<typeof startWebhookProcess>>;
let database: pg.Client;
const sms = { authToken: smsAuthToken, publicUrl };

beforeAll(async () => {
  process = await startWebhookProcess();
  database = new pg.Client({ connectionString: running().databaseUrls.communications.owner });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await process.end("SIGTERM");
});

const accept = async (request: ProviderRequest) => expect(await sendWebhook(process.baseUrl, request)).toEqual({ status: 200, body: { received: true } });
const sendSms = (from: string, body: string, sid = `SM${randomUUID()}`) =>
  accept(smsForm("inbound", { MessageSid: sid, From: from, To: "+15185550100", Body: body }, sms));

describe("a text message", () => {
  test("is added to the sender's conversation in the organization that wrote last", async () => {
    const [first, second] = [await anOffice(), await anOffice()];
    const phone = aPhone();
    await aCorrespondent(first, { phone });
    const tenant = await aCorrespondent(second, { phone });
    const sid = `SM${randomUUID()}`;
    await sendSms(tenant.phone, "👋 The tap\u0000 drips", sid);
    expect(await eventOf(second, sid)).toMatchObject({ receiver: "sms_inbound", status: "processed", preview: expect.stringContaining(tenant.phone) });
    expect((await read(second, tenant.conversationId)).messages.at(-1)).toMatchObject({ body: "👋 The tap drips", channel: "sms", smsSid: sid });
    expect((await first.call("listWebhookEvents")).total).toBe(0);
  });

  test("reaches the organization that received the sender's latest message, also after another one has written to the sender", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const tenant = await aCorrespondent(office);
    const [first, second] = [`SM${randomUUID()}`, `SM${randomUUID()}`];
    await sendSms(tenant.phone, "The tap drips", first);
    await eventOf(office, first);
    await aCorrespondent(other, { phone: tenant.phone });
    await sendSms(tenant.phone, "Still", second);
    expect(await eventOf(office, second)).toMatchObject({ status: "processed" });
    expect((await read(office, tenant.conversationId)).messages.slice(-2)).toMatchObject([{ body: "The tap drips" }, { body: "Still" }]);
    expect((await other.call("listWebhookEvents")).total).toBe(0);
  });

  test("does not reach an organization without a confirmed e-mail address when one with a confirmed address has written to the sender", async () => {
    const [office, unconfirmed] = [await aConfirmedOffice(), await anOffice()];
    const tenant = await aCorrespondent(office);
    await aCorrespondent(unconfirmed, { phone: tenant.phone });
    const sid = `SM${randomUUID()}`;
    await sendSms(tenant.phone, "The tap drips", sid);
    expect(await eventOf(office, sid)).toMatchObject({ status: "processed" });
    expect((await unconfirmed.call("listWebhookEvents")).total).toBe(0);
  });

  test("STOP ends text messages of every organization that wrote to the number, until START", async () => {
    const offices = [await anOffice(), await anOffice()];
    const phone = aPhone();
    const tenants = await Promise.all(offices.map((office) => aCorrespondent(office, { phone })));
    const attempts = () =>
      Promise.all(
        offices.map(
          async (office, index) =>
            (await office.attempt("sendConversationMessage", { params: { id: tenants[index]!.conversationId }, body: { body: "Hi", channel: "sms" } })).status,
        ),
      );
    for (const [word, status] of [
      ["Stop", 412],
      ["START", 200],
    ] as const) {
      const sid = `SM${randomUUID()}`;
      await sendSms(tenants[0]!.phone, word, sid);
      for (const office of offices) expect(await eventOf(office, sid)).toMatchObject({ status: "processed" });
      expect([word, await attempts()]).toEqual([word, [status, status]]);
    }
  });

  test("STOP ends text messages of every organization with a tenant, vendor or owner of the number, also before the first", async () => {
    const offices = [await anOffice(), await anOffice()];
    const phone = aPhone();
    const { vendor } = await offices[1]!.call("createVendor", { body: { name: "Elm Plumbing", phone: phone.replace("+1", "") } });
    const { tenant } = await offices[0]!.call("createTenant", { body: { fullName: "Ana Ruiz", phone } });
    await offices[0]!.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
    const sid = `SM${randomUUID()}`;
    await sendSms(phone, "STOP", sid);
    for (const office of offices) expect(await eventOf(office, sid)).toMatchObject({ status: "processed" });
    const message = { body: "Hello", channel: "sms" as const };
    const send = (office: Office, participantType: "tenant" | "vendor", participantId: string) =>
      office.attempt("createConversation", { body: { participantType, participantId, message } });
    expect(await send(offices[0]!, "tenant", tenant.id)).toMatchObject({ status: 412, body: { message: expect.stringContaining("STOP") } });
    expect(await send(offices[1]!, "vendor", vendor.id)).toMatchObject({ status: 412, body: { message: expect.stringContaining("STOP") } });
  });

  test("STOP also holds for an organization that records the number afterwards, in its consents and in those of its users, until START", async () => {
    const [office, later] = [await anOffice(), await anOffice()];
    const { phone } = await aCorrespondent(office);
    const word = async (body: string) => {
      const sid = `SM${randomUUID()}`;
      await sendSms(phone, body, sid);
      await eventOf(office, sid);
    };
    await word("STOP");
    const { tenant } = await later.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
    const { invite } = await later.call("createTenantInvite", { body: { tenantId: tenant.id, channels: ["email"] } });
    const user = new Client(later.baseUrl);
    const accepted = await user.call("acceptInvite", { params: { token: invite.token! }, body: { password, phone, smsConsent: true } });
    expect(accepted.user.smsConsent.granted).toBe(false);
    user.token = accepted.accessToken;
    const consents = async () => [
      (await later.attempt("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } })).status,
      (await user.attempt("changeMyConsent", { body: { smsConsent: true } })).status,
    ];
    const message = { body: "Hello", channel: "sms" as const };
    const send = () => later.attempt("createConversation", { body: { participantType: "tenant", participantId: tenant.id, message } });
    expect(await consents()).toEqual([409, 409]);
    expect(await send()).toMatchObject({ status: 412, body: { code: "sms_consent_missing", message: expect.stringContaining("STOP") } });
    await word("START");
    expect(await consents()).toEqual([200, 200]);
    expect((await send()).status).toBe(200);
  });

  test("STOP of a number that no organization knows yet holds for the first one that records it", async () => {
    const [office, phone] = [await anOffice(), aPhone()];
    const witness = await aCorrespondent(office);
    await sendSms(phone, "STOP");
    // Events are routed in the order of their receipt.
    const sid = `SM${randomUUID()}`;
    await sendSms(witness.phone, "Hello", sid);
    await eventOf(office, sid);
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ben Ode", phone } });
    const consent = { smsConsent: { granted: true, source: "signed lease" } };
    expect((await office.attempt("updateTenant", { params: { id: tenant.id }, body: consent })).status).toBe(409);
  });

  test("status updates the delivery and its history once, whatever the order and number of reports", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const sid = `SM${randomUUID()}`;
    await database.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await database.query("update message set provider_message_id = $1 where organization_id = $2 and id = $3", [
      sid,
      office.organizationId,
      tenant.smsMessageId,
    ]);
    for (const status of ["sent", "delivered", "failed"]) await accept(smsForm("status", { MessageSid: sid, MessageStatus: status, To: tenant.phone }, sms));
    expect(await eventOf(office, `${sid}:sent`)).toMatchObject({ status: "ignored", error: "status_on_the_way" });
    expect(await eventOf(office, `${sid}:failed`)).toMatchObject({ status: "processed" });
    const { deliveries } = await read(office, tenant.conversationId);
    expect(deliveries.at(-1)).toMatchObject({ status: "delivered", deliveredAt: expect.any(String), history: [{ status: "sent" }, { status: "delivered" }] });
  });
});
