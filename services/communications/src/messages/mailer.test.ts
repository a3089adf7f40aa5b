import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLogger } from "@freehold/kit/observability/log";
import { startSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { smtpMailer, type Mailer } from "./mailer.ts";

const log = createLogger("test", "silent");
const mail = {
  id: "019a0000-0000-7000-8000-000000000001",
  from: "Freehold <no-reply@freehold.example>",
  replyTo: null,
  messageId: "<019a0000-0000-7000-8000-000000000001@freehold.example>",
  to: "ana@example.com",
  subject: "Your invitation",
  text: "Hello",
  html: "<p>Hello</p>",
};

describe("smtpMailer", () => {
  let server: SmtpServer;
  let mailer: Mailer;
  beforeAll(async () => {
    server = await startSmtpServer();
    mailer = smtpMailer(server.url, log);
  });
  beforeEach(() => {
    server.mails.length = 0;
    server.refuseRecipients(undefined);
  });
  afterAll(async () => {
    mailer.close();
    await server.close();
  });

  test("sends text and HTML with the same Message-ID on each attempt", async () => {
    expect(await mailer.send(mail)).toEqual({ status: "sent", error: null });
    expect(await mailer.send(mail)).toEqual({ status: "sent", error: null });
    expect(server.mails).toHaveLength(2);
    for (const sent of server.mails) {
      expect(sent).toContain(`Message-ID: <${mail.id}@freehold.example>`);
      expect(sent).toMatch(/Content-Type: text\/plain[^]*Hello[^]*Content-Type: text\/html[^]*<p>Hello<\/p>/);
      expect(sent).toContain("Auto-Submitted: auto-generated");
    }
  });

  test("sends concurrent mails over at most five connections", async () => {
    const earlierConnections = server.connectionCount;
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => mailer.send({ ...mail, subject: `Mail ${index}` })));
    expect(results.every(({ status }) => status === "sent")).toBe(true);
    expect(server.mails).toHaveLength(20);
    expect(server.connectionCount - earlierConnections).toBeLessThanOrEqual(5);
  });

  test("prevents header injection through subject and address", async () => {
    await mailer.send({ ...mail, subject: "Hello\r\nBcc: all@example.com" });
    await mailer.send({ ...mail, to: "ana@example.com\r\nBcc: all@example.com" });
    expect(server.mails).toHaveLength(2);
    for (const sent of server.mails) expect(sent).not.toMatch(/^Bcc:/im);
  });

  test("prevents file access through the text", async () => {
    expect(await mailer.send({ ...mail, text: { path: "/etc/passwd" } as never })).not.toMatchObject({ status: "sent" });
    expect(server.mails).toEqual([]);
  });

  test("distinguishes permanent from temporary rejections", async () => {
    server.refuseRecipients("550 no such mailbox");
    expect(await mailer.send(mail)).toEqual({ status: "failed", error: "rejected_550", isAddressRejected: true });
    server.refuseRecipients("550 5.7.1 client host is blocked");
    expect(await mailer.send(mail)).toEqual({ status: "failed", error: "rejected_550" });
    for (const code of [530, 535]) {
      server.refuseRecipients(`${code} 5.7.0 Authentication required`);
      expect(await mailer.send(mail)).toEqual({ status: "delayed", error: `delayed_${code}` });
    }
    server.refuseRecipients("451 try later");
    expect(await mailer.send(mail)).toEqual({ status: "delayed", error: "delayed_451" });
  });

  test("delays mail while the server is unreachable", async () => {
    const unreachable = smtpMailer("smtp://127.0.0.1:1", log);
    expect(await unreachable.send(mail)).toEqual({ status: "delayed", error: "unreachable" });
    unreachable.close();
  });
});
