/** Returned mail: reports of mail servers about e-mails of ours. */
import { describe, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice, type Office } from "../../../../test/support/office.ts";
import { emailEvent, sendWebhook } from "../../../../test/support/providers/webhooks.ts";
import { readContent } from "./content/read-content.ts";

interface Report {
  address: string;
  messageId: string;
  status?: string;
  action?: string;
}

const statusOf = ({ address, status = "5.1.1", action = "failed" }: Report) =>
  [
    "Reporting-MTA: dns; mx.example.com",
    "",
    `Final-Recipient: rfc822; ${address}`,
    `Action: ${action}`,
    `Status: ${status}`,
    "Diagnostic-Code: smtp; 550",
  ].join("\r\n");

/** Returns the report of a mail server as an e-mail. */
const mimeOf = (report: Report, { type = "delivery-status", original = "message/rfc822" } = {}) =>
  [
    "From: Mail Delivery System <MAILER-DAEMON@mx.example.com>",
    "Subject: Undelivered Mail Returned to Sender",
    `Content-Type: multipart/report; report-type=${type};`,
    '\tboundary="r/1.mx"',
    "",
    "--r/1.mx",
    "Content-Type: text/plain",
    "",
    "I am sorry. Status: 5.1.1",
    "--r/1.mx",
    "Content-Type: message/delivery-status",
    "",
    statusOf(report),
    "",
    "--r/1.mx",
    `Content-Type: ${original}`,
    "",
    "Subject: Keys",
    "Message-ID:",
    `\t${report.messageId}`,
    "",
    "Message-ID: <quoted@example.com>",
    "--r/1.mx--",
    "",
  ].join("\r\n");

const ours = `<${randomUUID()}@freehold.example>`;
const read = (source: string) => {
  const message = { notificationType: "Received", mail: { source: "" }, content: source };
  const notification = { Type: "Notification", MessageId: "1", TopicArn: "arn", Timestamp: "2026-01-01T00:00:00.000Z", Message: JSON.stringify(message) };
  return readContent(
    { receiver: "email_cloud_inbound", providerEventId: "1" },
    Buffer.from(JSON.stringify({ ...notification, SignatureVersion: "2", Signature: "", SigningCertURL: "https://sns.us-east-1.amazonaws.com/a.pem" })),
  );
};

describe("the report in a returned e-mail", () => {
  const address = "ana@example.com";
  test.each([
    ["of an address that does not exist is a bounce", {}, {}, "bounced"],
    ["with the headers of the e-mail alone is a bounce", {}, { original: "text/rfc822-headers" }, "bounced"],
    ["of a full mailbox concerns the e-mail only", { status: "5.2.2" }, {}, "rejected"],
    ["of a refused sender concerns the e-mail only", { status: "5.7.1" }, {}, "rejected"],
  ])("%s", async (_, report, options, effect) => {
    expect(await read(mimeOf({ address, messageId: ours, ...report }, options))).toEqual({
      kind: "email_feedback",
      effect,
      addresses: [address],
      emailMessageIds: [ours],
      isReturnedMail: true,
    });
  });

  test.each([
    ["of a delay", { status: "4.4.1", action: "delayed" }, {}],
    ["of a delivery", { status: "2.0.0", action: "delivered" }, {}],
    ["without a message id", { messageId: "" }, {}],
    ["of a reading", {}, { type: "disposition-notification" }],
  ])("%s is ignored like other e-mails of machines", async (_, report, options) => {
    expect(await read(mimeOf({ address, messageId: ours, ...report }, options))).toMatchObject({ kind: "message", automaticReason: "returned_mail" });
  });
});

describe("a returned e-mail", () => {
  /** Creates a tenant to whom the office has written by e-mail. */
  async function aCorrespondent(office: Office) {
    const email = anEmail();
    const { tenant } = await office.call("createTenant", { body: { fullName: "Ana Ruiz", email } });
    const { conversation, messages } = await office.call("createConversation", {
      body: { participantType: "tenant", participantId: tenant.id, message: { body: "Ready.", channel: "email" } },
    });
    const errorOf = async () => (await office.call("getConversation", { params: { id: conversation.id } })).deliveries[0]!.error;
    return { address: email, messageId: messages[0]!.emailMessageId!, errorOf };
  }
  /** Sends a report as the e-mail provider does, which adds its parts to the text. */
  async function report(office: Office, contents: Report): Promise<void> {
    const headers = { "Content-Type": "multipart/report; report-type=delivery-status; boundary=b" };
    const text = `I am sorry.\r\n\r\n${statusOf(contents)}\r\n\r\nSubject: Keys\r\nMessage-ID: ${contents.messageId}\r\n`;
    await sendWebhook(office.baseUrl, emailEvent({ data: { from: "MAILER-DAEMON@mx.example.com", to: ["bounce@freehold.example"], text, headers } }));
  }
  const suppressedIn = async (office: Office) => (await office.call("listSuppressions")).suppressions.map(({ address }) => address);

  test("ends e-mails to its address when it names an e-mail of ours to the address, and not otherwise", async () => {
    const [office, other] = [await anOffice(), await anOffice()];
    const [ana, ben, cleo, foreign] = [await aCorrespondent(office), await aCorrespondent(office), await aCorrespondent(office), await aCorrespondent(other)];
    await report(office, { address: ana.address, messageId: `<${randomUUID()}@freehold.example>` });
    await report(office, { address: ana.address, messageId: "<made-up@example.com>" });
    await report(office, { address: ana.address, messageId: ben.messageId });
    await report(office, { address: ana.address, messageId: foreign.messageId });
    await report(office, { address: ana.address, messageId: ana.messageId, status: "4.2.2", action: "delayed" });
    await report(office, { address: ben.address, messageId: ben.messageId, status: "5.7.1" });
    // Events take effect in the order of their receipt.
    await report(office, { address: cleo.address.toUpperCase(), messageId: cleo.messageId });
    await eventually("suppression", async () => (await suppressedIn(office)).includes(cleo.address));
    expect([await suppressedIn(office), await suppressedIn(other)]).toEqual([[cleo.address], []]);
    expect([await ana.errorOf(), await ben.errorOf(), await cleo.errorOf(), await foreign.errorOf()]).toEqual([null, "bounced", "bounced", null]);
  });
});
