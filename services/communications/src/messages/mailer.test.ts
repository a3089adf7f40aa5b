import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createLogger } from "@freehold/kit/observability/log";
import { anSmtpServer, type SmtpServer } from "../../test/smtp-server.ts";
import { smtpMailer, type Mailer } from "./mailer.ts";

const log = createLogger("test", "silent");
const mail = {
  id: "019a0000-0000-7000-8000-000000000001",
  from: "Freehold <no-reply@freehold.example>",
  to: "ana@example.com",
  subject: "Your invitation",
  text: "Hello",
  html: "<p>Hello</p>",
};

describe("smtpMailer", () => {
  let server: SmtpServer;
  let mailer: Mailer;
  beforeAll(async () => {
    server = await anSmtpServer();
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

  test("hands over both forms, with a Message-ID that is the same each time", async () => {
    expect(await mailer.send(mail)).toEqual({ status: "sent", error: null });
    expect(await mailer.send(mail)).toEqual({ status: "sent", error: null });
    expect(server.mails).toHaveLength(2);
    for (const sent of server.mails) {
      expect(sent).toContain(`Message-ID: <${mail.id}@freehold.example>`);
      expect(sent).toMatch(/Content-Type: text\/plain[^]*Hello[^]*Content-Type: text\/html[^]*<p>Hello<\/p>/);
      expect(sent).toContain("Auto-Submitted: auto-generated");
    }
  });

  test("sends many at once over a few connections", async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => mailer.send({ ...mail, subject: `Mail ${index}` })));
    expect(outcomes.every(({ status }) => status === "sent")).toBe(true);
    expect(server.mails).toHaveLength(20);
  });

  test("writes no header that a subject or an address asks for", async () => {
    await mailer.send({ ...mail, subject: "Hello\r\nBcc: all@example.com" });
    await mailer.send({ ...mail, to: "ana@example.com\r\nBcc: all@example.com" });
    for (const sent of server.mails) expect(sent).not.toMatch(/^Bcc:/im);
  });

  test("reads no file and no address that a text names", async () => {
    await mailer.send({ ...mail, text: { path: "/etc/passwd" } as never });
    expect(server.mails.join()).not.toContain("root:");
  });

  test("tells the server's final no from trouble that may pass", async () => {
    server.refuseRecipients("550 no such mailbox");
    expect(await mailer.send(mail)).toEqual({ status: "failed", error: "rejected_550" });
    server.refuseRecipients("451 try later");
    expect(await mailer.send(mail)).toEqual({ status: "delayed", error: "delayed_451" });
  });

  test("waits for a server that is away", async () => {
    const away = smtpMailer("smtp://127.0.0.1:1", log);
    expect(await away.send(mail)).toEqual({ status: "delayed", error: "unreachable" });
    away.close();
  });
});
