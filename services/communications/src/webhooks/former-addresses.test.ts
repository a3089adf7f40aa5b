/** Answers from addresses to which the office has written, and which are no longer those of the tenant. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { emailEvent, sendWebhook, smsForm } from "../../../../test/support/providers/webhooks.ts";
import { publicUrl, smsAuthToken, startWebhookProcess } from "../../test/webhook-process.ts";
import { aCorrespondent, aPhone, eventOf, read } from "./webhooks.fixtures.ts";

let process: Awaited<ReturnType<typeof startWebhookProcess>>;
beforeAll(async () => {
  process = await startWebhookProcess();
});
afterAll(() => process.end("SIGTERM"));

const received = { status: 200, body: { received: true } };

/** Sends a text message to the office, and waits for its event. */
async function answerBySms(office: Office, from: string, body: string) {
  const sid = `SM${randomUUID()}`;
  const form = smsForm("inbound", { MessageSid: sid, From: from, To: "+15185550100", Body: body }, { authToken: smsAuthToken, publicUrl });
  expect(await sendWebhook(process.baseUrl, form)).toEqual(received);
  return eventOf(office, sid);
}

/** Sends an e-mail that names no other one, and waits for its event. */
async function answerByEmail(office: Office, from: string, text: string) {
  const id = `msg_${randomUUID()}`;
  const data = { from, to: ["office@example.com"], subject: "Keys", text };
  expect(await sendWebhook(process.baseUrl, emailEvent({ type: "email.received", data }, { id }))).toEqual(received);
  return eventOf(office, id);
}

const waitForParticipant = (office: Office, conversationId: string, participantId: string) =>
  eventually("conversation of the survivor", async () => (await read(office, conversationId)).conversation.participantId === participantId || undefined);

describe("an answer from a former address", () => {
  test("of a merged duplicate is the surviving tenant's, in the conversation in which the duplicate was written to", async () => {
    const office = await anOffice();
    const duplicate = await aCorrespondent(office);
    const { tenant: survivor } = await office.call("createTenant", { body: { fullName: "Ana Ruiz-Ode", email: anEmail(), phone: aPhone() } });
    await office.call("mergeTenants", { params: { id: survivor.id }, body: { duplicateTenantId: duplicate.id } });
    await waitForParticipant(office, duplicate.conversationId, survivor.id);
    expect(await answerBySms(office, duplicate.phone, "Yes, I have them.")).toMatchObject({ status: "processed", error: null });
    expect(await answerByEmail(office, duplicate.email, "By mail, too.")).toMatchObject({ status: "processed", error: null });
    expect((await read(office, duplicate.conversationId)).messages.slice(-2)).toMatchObject([
      { body: "Yes, I have them.", channel: "sms", senderId: survivor.id, senderName: "Ana Ruiz-Ode" },
      { body: "By mail, too.", channel: "email", senderId: survivor.id, senderName: "Ana Ruiz-Ode" },
    ]);
  });

  test("is the tenant's from the alternate phone number, and without the tenant's name from a number that is recorded no more", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const params = { id: tenant.id };
    await office.call("updateTenant", { params, body: { phone: aPhone(), alternatePhone: tenant.phone, email: anEmail() } });
    expect(await answerBySms(office, tenant.phone, "From my other number.")).toMatchObject({ status: "processed" });
    await office.call("updateTenant", { params, body: { alternatePhone: null } });
    expect(await answerBySms(office, tenant.phone, "Who are you?")).toMatchObject({ status: "processed" });
    expect(await answerByEmail(office, tenant.email, "From my former address.")).toMatchObject({ status: "processed" });
    const stranger = { senderId: null, metadata: { isOtherAddress: true } };
    expect((await read(office, tenant.conversationId)).messages.slice(-3)).toMatchObject([
      { body: "From my other number.", senderId: tenant.id, senderName: "Ana Ruiz" },
      { body: "Who are you?", senderName: tenant.phone, ...stranger },
      { body: "From my former address.", senderName: tenant.email, ...stranger },
    ]);
  });

  test("of a deleted tenant is in the conversation, and listed as that of an unknown sender once it is archived", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    await office.call("deleteTenant", { params: { id: tenant.id } });
    const params = { id: tenant.conversationId };
    await eventually("closed conversation", async () => (await read(office, params.id)).conversation.status === "closed" || undefined);
    expect(await answerBySms(office, tenant.phone, "Where is my deposit?")).toMatchObject({ status: "processed" });
    expect((await read(office, params.id)).messages.at(-1)).toMatchObject({ body: "Where is my deposit?", senderId: tenant.id });
    for (const status of ["closed", "archived"] as const) await office.call("updateConversation", { params, body: { status } });
    const event = await answerByEmail(office, tenant.email, "Hello?");
    expect(event).toMatchObject({ status: "ignored", error: "unknown_sender", preview: expect.stringContaining(tenant.email) });
  });

  test("of a person who is neither a tenant nor a vendor is listed for the organization that wrote to it, and not for another one", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const email = anEmail();
    const { owner } = await office.call("createOwner", { body: { fullName: "Olga Owner", email } });
    await office.call("createOwnerInvite", { body: { ownerId: owner.id, channels: ["email"] } });
    expect(await answerByEmail(office, email, "I cannot open the link.")).toMatchObject({ status: "ignored", error: "unknown_sender" });
    await other.call("createTenant", { body: { fullName: "Olga Owner", email } });
    expect(await answerByEmail(office, email, "Still not.")).toMatchObject({ status: "ignored", error: "unknown_sender" });
    expect((await other.call("listWebhookEvents")).total).toBe(0);
  });
});
