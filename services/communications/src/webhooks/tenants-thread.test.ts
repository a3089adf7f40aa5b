/** One thread of the office and a tenant over the portal, e-mail and text messages. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { emailEvent, sendWebhook, smsForm, type ProviderRequest } from "../../../../test/support/providers/webhooks.ts";
import { publicUrl, smsAuthToken, startWebhookProcess } from "../../test/webhook-process.ts";

let process: Awaited<ReturnType<typeof startWebhookProcess>>;
beforeAll(async () => {
  process = await startWebhookProcess();
});
afterAll(() => process.end("SIGTERM"));

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Sends a request of a provider, and waits until its event was processed. */
async function arrive(office: Office, id: string, request: ProviderRequest) {
  expect(await sendWebhook(process.baseUrl, request)).toEqual({ status: 200, body: { received: true } });
  const processed = async () => {
    const { webhookEvents } = await office.call("listWebhookEvents", { query: { pageSize: 100 } });
    return webhookEvents.find((event) => event.providerEventId === id && event.status !== "received");
  };
  expect(await eventually("processed event", processed)).toMatchObject({ status: "processed", error: null });
}

async function aCorrespondent(office: Office) {
  const phone = `+1518${String(Math.floor(Math.random() * 10_000_000)).padStart(7, "2")}`;
  const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email: anEmail(), phone } });
  await office.call("updateTenant", { params: { id: tenant.id }, body: { smsConsent: { granted: true, source: "signed lease" } } });
  return { tenant, user: await office.tenantUser(tenant.id), email: tenant.email!, phone: tenant.phone! };
}

const byEmail = (office: Office, email: Record<string, unknown>) => {
  const id = `msg_${randomUUID()}`;
  return arrive(office, id, emailEvent({ type: "email.received", data: email }, { id }));
};
const bySms = (office: Office, phone: string, text: string) => {
  const sid = `SM${randomUUID()}`;
  const form = { MessageSid: sid, From: phone, To: "+15185550100", Body: text };
  return arrive(office, sid, smsForm("inbound", form, { authToken: smsAuthToken, publicUrl }));
};

describe("a thread with a tenant", () => {
  test("holds what the office writes and the tenant answers by e-mail, text message and photo, and STOP ends text messages until START", async () => {
    const office = await anOffice();
    const { tenant, user, email, phone } = await aCorrespondent(office);
    const { conversation } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, subject: "The tap", channels: ["in_app", "email", "sms"] },
    });
    const params = { id: conversation.id };
    const write = (channel: "in_app" | "email" | "sms", body: string) => office.attempt("sendConversationMessage", { params, body: { body, channel } });
    await write("in_app", "Does the tap still drip?");
    const mailed = await write("email", "Please answer when you can.");
    await write("sms", "We have sent you an e-mail.");
    expect((await user.call("getTenantConversation", { params })).messages.map(({ body }) => body)).toEqual([
      "Does the tap still drip?",
      "Please answer when you can.",
      "We have sent you an e-mail.",
    ]);

    const headers = { "In-Reply-To": mailed.body.message.emailMessageId };
    const answer = { from: `Ana <${email}>`, to: ["office@example.com"], subject: "Re: The tap", headers };
    const text =
      "Yes, it does.\n\n-- \nAna Ruiz\n+1 518 555 0142\n\nOn Fri, Nov 27, 2026 at 9:00 AM Elm <office@example.com> wrote:\n> Please answer when you can.\n";
    await byEmail(office, { ...answer, text });
    await bySms(office, phone, "I send you a photo.");
    await byEmail(office, {
      ...answer,
      text: "Here.",
      attachments: [
        { filename: "tap.png", content: png },
        { filename: "tap.exe", content: "TVqQAAMA" },
      ],
    });
    const { document } = await user.call("uploadTenantConversationDocument", { params, body: { file: new File([Buffer.from(png, "base64")], "again.png") } });
    await user.call("sendTenantConversationMessage", { params, body: { body: "And from the portal.", documentIds: [document.id] } });

    await bySms(office, phone, "STOP");
    const refused = await write("sms", "Thank you.");
    expect([refused.status, refused.body.code]).toEqual([412, "sms_consent_missing"]);
    await bySms(office, phone, "START");
    expect((await write("sms", "Thank you.")).status).toBe(200);

    const { messages, conversation: read } = await office.call("getConversation", { params });
    expect([read.participantId, read.channels.toSorted(), read.unreadCount]).toEqual([tenant.id, ["email", "in_app", "sms"], 6]);
    expect(messages.map(({ channel, senderType, body }) => [channel, senderType, body])).toEqual([
      ["in_app", "staff", "Does the tap still drip?"],
      ["email", "staff", "Please answer when you can."],
      ["sms", "staff", "We have sent you an e-mail."],
      ["email", "tenant", "Yes, it does."],
      ["sms", "tenant", "I send you a photo."],
      ["email", "tenant", "Here."],
      ["in_app", "tenant", "And from the portal."],
      ["sms", "tenant", "STOP"],
      ["sms", "tenant", "START"],
      ["sms", "staff", "Thank you."],
    ]);
    expect(messages[5]).toMatchObject({
      documentIds: [expect.any(String)],
      metadata: { droppedAttachments: [{ name: "tap.exe", reason: "unsupported_file" }] },
    });
    for (const id of [messages[5]!.documentIds[0]!, document.id])
      for (const reader of [office, user]) expect((await reader.call("getDocument", { params: { id } })).document.contentType).toBe("image/png");
  });

  test("takes an e-mail with attachments once, although the provider sends it again as another event", async () => {
    const office = await anOffice();
    const { tenant, email } = await aCorrespondent(office);
    const { conversation } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, message: { body: "Hello", channel: "email" } },
    });
    const message = { from: email, to: ["office@example.com"], text: "A photo.", message_id: `<${randomUUID()}@example.com>` };
    await byEmail(office, { ...message, attachments: [{ filename: "tap.png", content: png }] });
    await byEmail(office, {
      ...message,
      attachments: [
        { filename: "tap.png", content: png },
        { filename: "more.png", content: png },
      ],
    });
    const { messages } = await office.call("getConversation", { params: { id: conversation.id } });
    expect(messages.slice(1)).toMatchObject([{ body: "A photo.", documentIds: [expect.any(String)], metadata: {} }]);
    expect((await office.call("listDocuments", { query: { entityType: "conversation", entityId: conversation.id } })).total).toBe(1);
  });
});
