/** Processing of webhook events, from the request of the provider to the conversation, the list of events, and their replay. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import pg from "pg";
import { startCloudServer, type CloudServer } from "../../../../test/support/providers/cloud-notifications.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { waitForIdleJobs } from "../../../../test/support/jobs.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { emailEvent, sendWebhook, smsForm, type ProviderRequest } from "../../../../test/support/providers/webhooks.ts";
import { publicUrl, smsAuthToken, startWebhookProcess, topicArns } from "../../test/webhook-process.ts";
import { aCorrespondent, eventOf, read } from "./webhooks.fixtures.ts";

let process: Awaited<ReturnType<typeof startWebhookProcess>>;
let cloud: CloudServer;
let database: pg.Client;
const sms = { authToken: smsAuthToken, publicUrl };

beforeAll(async () => {
  cloud = await startCloudServer();
  process = await startWebhookProcess({ CLOUD_NOTIFICATION_CERT_HOSTS: cloud.host, NODE_EXTRA_CA_CERTS: cloud.caFile });
  database = new pg.Client({ connectionString: running().databaseUrls.communications.owner });
  await database.connect();
});
afterAll(async () => {
  await database.end();
  await process.end("SIGTERM");
  await cloud.close();
});

const accept = async (request: ProviderRequest) => expect(await sendWebhook(process.baseUrl, request)).toEqual({ status: 200, body: { received: true } });
const sendSms = (from: string, body: string, sid = `SM${randomUUID()}`) =>
  accept(smsForm("inbound", { MessageSid: sid, From: from, To: "+15185550100", Body: body }, sms));

/** Waits for the reason of an event that belongs to no organization. */
const ignoredReason = (providerEventId: string) =>
  eventually("ignored event", async () => {
    const { rows } = await database.query<{ error: string }>("select error from webhook_receipt where provider_event_id = $1 and status = 'ignored'", [
      providerEventId,
    ]);
    return rows[0]?.error;
  });

describe("an e-mail from the delivery provider", () => {
  test("is added to the conversation that it answers, without the quoted text", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const id = `msg_${randomUUID()}`;
    const text = "Thank you,\nI will come at ten.\n\nOn Fri, Nov 27, 2026 at 9:00 AM Elm <office@example.com> wrote:\n> Ready.\n";
    await accept(
      emailEvent(
        {
          type: "email.received",
          data: {
            from: `Ana <${tenant.email}>`,
            to: ["office@example.com"],
            subject: "Re: Keys",
            text,
            message_id: "<reply@example.com>",
            headers: [{ name: "In-Reply-To", value: tenant.emailMessageId }],
          },
        },
        { id },
      ),
    );
    expect(await eventOf(office, id)).toMatchObject({
      receiver: "email_inbound",
      status: "processed",
      attempts: 1,
      error: null,
      preview: `E-mail from ${tenant.email}: Re: Keys`,
    });
    const { messages } = await read(office, tenant.conversationId);
    expect(messages.at(-1)).toMatchObject({
      body: "Thank you,\nI will come at ten.",
      channel: "email",
      senderType: "tenant",
      fromAddress: tenant.email,
      emailMessageId: "<reply@example.com>",
      metadata: { hasQuote: true, subject: "Re: Keys" },
    });
  });

  test("of a known sender is found by the address, in JSON of several forms, and HTML alone becomes text", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const id = `msg_${randomUUID()}`;
    await accept(
      emailEvent(
        {
          from: { email: tenant.email.toUpperCase() },
          to: "office@example.com",
          subject: "Tap",
          html: "<p>It <b>drips</b>.<br>Really.</p><script>x()</script>\u0000",
          headers: { "Message-ID": "<a@b.c>" },
        },
        { id },
      ),
    );
    expect(await eventOf(office, id)).toMatchObject({ status: "processed" });
    expect((await read(office, tenant.conversationId)).messages.at(-1)).toMatchObject({ body: "It drips.\nReally.", emailMessageId: "<a@b.c>" });
  });

  test("that a machine has written is kept as an ignored event, and is not answered", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    for (const [header, value, reason] of [
      ["Auto-Submitted", "auto-replied", "automatic_reply"],
      ["Precedence", "bulk", "bulk_mail"],
      ["Return-Path", "<>", "returned_mail"],
    ] as const) {
      const id = `msg_${randomUUID()}`;
      await accept(emailEvent({ data: { from: tenant.email, to: [], text: "I am away.", headers: { [header]: value } } }, { id }));
      expect(await eventOf(office, id)).toMatchObject({ status: "ignored", error: reason });
    }
    expect((await read(office, tenant.conversationId)).messages).toHaveLength(2);
  });

  test("that answers from another address than the tenant's is added without the tenant's name", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const [id, stranger] = [`msg_${randomUUID()}`, anEmail()];
    await accept(emailEvent({ data: { from: stranger, to: [], text: "Pay me.", headers: { "In-Reply-To": tenant.emailMessageId } } }, { id }));
    await eventOf(office, id);
    const { messages } = await read(office, tenant.conversationId);
    expect(messages.at(-1)).toMatchObject({ body: "Pay me.", senderId: null, senderName: stranger, fromAddress: stranger, metadata: { isOtherAddress: true } });
  });

  test("with an endless reference is read in no time", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const id = `msg_${randomUUID()}`;
    await accept(emailEvent({ data: { from: tenant.email, to: [], text: "Hi", headers: { References: `${"@".repeat(180_000)}<x` } } }, { id }));
    expect(await eventOf(office, id)).toMatchObject({ status: "processed" });
  });

  test("that was forwarded to the inbound address of an e-mail account belongs to its organization, although nobody has written to the sender", async () => {
    const office = await anOffice();
    const { emailAccount } = await office.call("createEmailAccount", { body: { address: `office@${randomUUID()}.example`, kind: "domain" } });
    const email = anEmail();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ben Cole", email } });
    const ids = [1, 2, 3].map(() => `msg_${randomUUID()}`) as [string, string, string];
    await accept(emailEvent({ from: email, to: [emailAccount.inboundAddress], text: "When can I move in?" }, { id: ids[0] }));
    const headers = { "Delivered-To": emailAccount.inboundAddress };
    await accept(emailEvent({ from: anEmail(), to: [emailAccount.address], text: "Who are you?", headers }, { id: ids[1] }));
    expect([await eventOf(office, ids[0]), await eventOf(office, ids[1])]).toMatchObject([
      { status: "processed", error: null },
      { status: "ignored", error: "unknown_sender" },
    ]);
    const { conversations } = await office.call("listConversations", { query: { participantId: tenant.id } });
    expect(conversations.map(({ latestMessagePreview }) => latestMessagePreview)).toEqual(["When can I move in?"]);
    await office.call("deleteEmailAccount", { params: { id: emailAccount.id } });
    await accept(emailEvent({ from: email, to: [emailAccount.inboundAddress], text: "Hello?" }, { id: ids[2] }));
    expect(await ignoredReason(ids[2])).toBe("unknown_sender");
  });

  test("from a stranger, from ourselves or in an unknown format belongs to nobody, and the reason is stored", async () => {
    for (const [event, reason] of [
      [{ from: anEmail(), text: "Hi" }, "unknown_sender"],
      [{ from: "no-reply@freehold.local", text: "Hi" }, "own_message"],
      [{ text: "Hi" }, "no_sender"],
      [{ type: "email.opened" }, "unused_event_type"],
      ["nonsense", "unknown_format"],
    ] as const) {
      const id = `msg_${randomUUID()}`;
      await accept(emailEvent(event, { id }));
      expect([reason, await ignoredReason(id)]).toEqual([reason, reason]);
    }
  });
});

describe("a bounce or complaint", () => {
  test("ends e-mails to the address for good, and the delivery of a returned e-mail has failed", async () => {
    const office = await anOffice();
    const [bounced, complained] = [await aCorrespondent(office), await aCorrespondent(office)];
    const ids = [`msg_${randomUUID()}`, `msg_${randomUUID()}`] as const;
    await accept(
      emailEvent({ type: "email.bounced", data: { to: [bounced.email], message_id: bounced.emailMessageId, bounce: { type: "Permanent" } } }, { id: ids[0] }),
    );
    await accept(emailEvent({ type: "email.complained", data: { to: complained.email } }, { id: ids[1] }));
    for (const id of ids) expect(await eventOf(office, id)).toMatchObject({ status: "processed" });
    for (const { conversationId } of [bounced, complained])
      expect(await office.attempt("sendConversationMessage", { params: { id: conversationId }, body: { body: "Hi", channel: "email" } })).toMatchObject({
        status: 412,
        body: { code: "address_suppressed" },
      });
    const { deliveries } = await read(office, bounced.conversationId);
    expect(deliveries[0]).toMatchObject({ status: "failed", error: "bounced", history: [{ status: "sent" }, { status: "failed", error: "bounced" }] });
  });

  test("that is temporary has no effect", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const id = `msg_${randomUUID()}`;
    await accept(emailEvent({ type: "email.bounced", data: { to: [tenant.email], bounce: { type: "Transient" } } }, { id }));
    expect(await eventOf(office, id)).toMatchObject({ status: "ignored", error: "temporary_bounce" });
    expect((await office.attempt("sendConversationMessage", { params: { id: tenant.conversationId }, body: { body: "Hi", channel: "email" } })).status).toBe(
      200,
    );
  });
});

describe("a cloud notification", () => {
  test("brings e-mails with their MIME source, text messages and bounces", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const mime = [
      `From: Ana Ruiz <${tenant.email}>`,
      "To: office@example.com",
      "Subject: =?utf-8?B?R3LDvMOfZQ==?=",
      "Message-ID: <cloud@example.com>",
      `References: ${tenant.emailMessageId}`,
      "Content-Type: multipart/alternative; boundary=b",
      "",
      "--b",
      "Content-Type: text/plain; charset=iso-8859-1",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "Gr=FC=DFe!",
      "--b--",
    ].join("\r\n");
    const email = {
      notificationType: "Received",
      mail: { source: tenant.email, messageId: "m" },
      content: Buffer.from(mime).toString("base64"),
      receipt: { action: { type: "SNS", encoding: "BASE64" } },
    };
    const text = { originationNumber: tenant.phone, destinationNumber: "+15185550100", messageBody: "By text", inboundMessageId: randomUUID() };
    const bounce = {
      notificationType: "Bounce",
      bounce: { bounceType: "Permanent", bouncedRecipients: [{ emailAddress: tenant.email }] },
      mail: { messageId: "m" },
    };
    for (const [path, arn, message] of [
      ["/api/webhooks/email/cloud-inbound", topicArns.email, email],
      ["/api/webhooks/sms/cloud-inbound", topicArns.sms, text],
      ["/api/webhooks/email/cloud-inbound", topicArns.email, bounce],
    ] as const) {
      const MessageId = randomUUID();
      await accept(cloud.notification(path, arn, message, { MessageId }));
      expect([message, await eventOf(office, MessageId)]).toMatchObject([message, { status: "processed" }]);
    }
    const { messages } = await read(office, tenant.conversationId);
    expect(messages.slice(2)).toMatchObject([
      { body: "Grüße!", channel: "email", emailMessageId: "<cloud@example.com>", metadata: { subject: "Grüße" } },
      { body: "By text", channel: "sms" },
    ]);
  });

  test("with an e-mail whose sender is refuted adds it without the tenant's name, for the office and in the portal", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const user = await office.tenantUser(tenant.id);
    const send = async (body: string, verdicts: Record<string, string>) => {
      const receipt = Object.fromEntries(Object.entries(verdicts).map(([name, status]) => [`${name}Verdict`, { status }]));
      const content = `From: Ana Ruiz <${tenant.email}>\r\nMessage-ID: <${randomUUID()}@example.com>\r\nSubject: My bank\r\n\r\n${body}`;
      const MessageId = randomUUID();
      const email = { notificationType: "Received", mail: { source: tenant.email }, content, receipt };
      await accept(cloud.notification("/api/webhooks/email/cloud-inbound", topicArns.email, email, { MessageId }));
      expect(await eventOf(office, MessageId)).toMatchObject({ status: "processed" });
    };
    await send("Forged", { spf: "PASS", dkim: "GRAY", dmarc: "FAIL" });
    await send("Genuine", { spf: "FAIL", dkim: "PASS", dmarc: "PASS" });
    const name = `${tenant.email} (unverified)`;
    const { messages } = await read(office, tenant.conversationId);
    expect(messages.slice(2)).toMatchObject([
      {
        body: "Forged",
        senderType: "tenant",
        senderId: null,
        senderName: name,
        fromAddress: tenant.email,
        metadata: { isUnverified: true, subject: "My bank" },
      },
      { body: "Genuine", senderType: "tenant", senderId: tenant.id, senderName: "Ana Ruiz" },
    ]);
    expect(messages.at(-1)!.metadata).not.toHaveProperty("isUnverified");
    const portal = await user.call("getTenantConversation", { params: { id: tenant.conversationId } });
    expect(portal.messages.at(2)).toMatchObject({ body: "Forged", senderId: null, senderName: name });
  });

  test("of another topic, or with a changed member, is refused with 401", async () => {
    const path = "/api/webhooks/email/cloud-inbound";
    expect(await sendWebhook(process.baseUrl, cloud.notification(path, topicArns.sms, {}))).toMatchObject({ status: 401 });
    const request = cloud.notification(path, topicArns.email, { a: 1 });
    for (const [member, value] of Object.entries({
      Message: "{}",
      MessageId: randomUUID(),
      Timestamp: "2026-01-01T00:00:00.000Z",
      Subject: "Added",
      SigningCertURL: `https://localhost:1/x.pem`,
    }))
      expect([
        member,
        await sendWebhook(process.baseUrl, { ...request, body: JSON.stringify({ ...(JSON.parse(String(request.body)) as object), [member]: value }) }),
      ]).toMatchObject([member, { status: 401 }]);
  });
});

describe("listWebhookEvents and replayWebhookEvent", () => {
  test("show the events of the organization alone, by receiver, status and day", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const tenant = await aCorrespondent(office);
    const sid = `SM${randomUUID()}`;
    await sendSms(tenant.phone, "Hello", sid);
    const event = await eventOf(office, sid);
    const list = async (query: Record<string, string>) => (await office.call("listWebhookEvents", { query })).webhookEvents.map(({ id }) => id);
    expect(await list({ receiver: "sms_inbound,email_inbound", status: "processed" })).toEqual([event.id]);
    expect(await list({ status: "failed,ignored" })).toEqual([]);
    expect(await list({ createdBefore: "2020-01-01" })).toEqual([]);
    expect(await list({ createdAfter: "2020-01-01" })).toEqual([event.id]);
    expect((await other.call("listWebhookEvents")).webhookEvents).toEqual([]);
    expect(await other.attempt("replayWebhookEvent", { params: { id: event.id } })).toMatchObject({ status: 404 });
  });

  test("process an ignored event again once, and refuse one that has taken effect", async () => {
    const office = await anOffice();
    const tenant = await aCorrespondent(office);
    const id = `msg_${randomUUID()}`;
    await accept(emailEvent({ from: tenant.email, text: "Hello again", headers: { Precedence: "list" } }, { id }));
    const ignored = await eventOf(office, id);
    expect(ignored).toMatchObject({ status: "ignored", error: "bulk_mail" });
    const params = { id: ignored.id };
    expect((await office.call("replayWebhookEvent", { params })).webhookEvent).toMatchObject({
      id: ignored.id,
      status: "received",
      attempts: 0,
      error: null,
      processedAt: null,
    });
    expect(await eventOf(office, id)).toMatchObject({ status: "ignored", attempts: 1 });
    const sid = `SM${randomUUID()}`;
    await sendSms(tenant.phone, "Hello", sid);
    expect(await office.attempt("replayWebhookEvent", { params: { id: (await eventOf(office, sid)).id } })).toMatchObject({
      status: 409,
      body: { code: "invalid_transition" },
    });
    await waitForIdleJobs("communications", office);
  });
});
