/** Content of webhook events: e-mails of unusual size and structure, and the own text of answers. */
import { Id } from "@freehold/contract/values";
import { newId } from "@freehold/kit/db/entity";
import { describe, expect, test } from "@jest/globals";
import { fileIdOf } from "../../conversations/files/inbound-file.rules.ts";
import { readContent } from "./read-content.ts";
import { parseMime } from "./mime.ts";
import { replyText } from "./reply-text.rules.ts";
import { storableText } from "./webhook-content.ts";

const providerEmail = (event: unknown) => readContent({ receiver: "email_inbound", providerEventId: "msg_1" }, Buffer.from(JSON.stringify(event)));
const mail = (head: string, body: string) => Buffer.from(`From: ana@example.com\r\nSubject: S\r\n${head}\r\n${body}`);

describe("a MIME message", () => {
  test("is read with its encodings and its attachments, without the small pictures of a signature", async () => {
    const source = mail(
      'Content-Type: multipart/mixed; boundary="m"\r\nIn-Reply-To: <a@b.c>\r\n',
      '--m\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\nR3LDvMOfZQ==\r\n--m\r\nContent-Type: image/png; name="a.png"\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--m\r\nContent-Type: multipart/related; boundary="r"\r\n\r\n--r\r\nContent-Type: text/html\r\n\r\n<img src="cid:logo">\r\n--r\r\nContent-Type: image/png; name="logo.png"\r\nContent-ID: <logo>\r\nContent-Disposition: inline\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n--r--\r\n--m--\r\n',
    );
    const email = await parseMime(source);
    expect(email?.files).toEqual([{ name: "a.png", content: Buffer.from("iVBORw0KGgo=", "base64") }]);
    expect([email?.text?.trim(), email?.from, email?.subject, email?.headers.get("in-reply-to")]).toEqual(["Grüße", "ana@example.com", "S", "<a@b.c>"]);
  });

  const nested = (depth: number) => {
    let body = "deep\r\n";
    for (let level = depth; level > 0; level--) body = `Content-Type: multipart/mixed; boundary="b${level}"\r\n\r\n--b${level}\r\n${body}\r\n--b${level}--\r\n`;
    return Buffer.from(`From: ana@example.com\r\n${body}`);
  };
  const bombs: Record<string, Buffer> = {
    "nests parts 5,000 deep": nested(5_000),
    "has 20,000 parts": mail('Content-Type: multipart/mixed; boundary="m"\r\n', "--m\r\n\r\nx\r\n".repeat(20_000)),
    "has 10,000 headers": mail("X-A: b\r\n".repeat(10_000), "x"),
    "has a header of 500 KiB": mail(`X-A: ${"b".repeat(500_000)}\r\n`, "x"),
    "is larger than 1 MiB": mail("", "x".repeat(1_048_577)),
    "declares 1,000 boundaries": mail("", "Content-Type: multipart/mixed; boundary=x\r\n".repeat(1_000)),
  };
  test.each(Object.entries(bombs))("that %s is refused before it is parsed", async (_, source) => {
    expect(await parseMime(source)).toBeUndefined();
  });

  test("that is nothing but noise has no sender, and does not fail", async () => {
    for (const source of [
      "",
      "\u0000\u0001",
      "From",
      "From: \r\n\r\n",
      "From: =?utf-8?B?////?=\r\n\r\n\u0000",
      `Content-Type: text/html\r\n\r\n${"<div>".repeat(50_000)}`,
    ])
      expect((await parseMime(Buffer.from(source)))?.from ?? "").toBe("");
  });
});

describe("an e-mail in JSON", () => {
  test("of deep or huge HTML becomes a bounded text", async () => {
    const content = await providerEmail({ from: "ana@example.com", html: `${"<div>".repeat(60_000)}deep${"<p>x</p>".repeat(50_000)}` });
    expect(content).toMatchObject({ kind: "message", from: "ana@example.com" });
    expect((content as { body: string }).body.length).toBeLessThan(600_000);
  });

  test("is unverified when the server of the provider says so, and whatever other servers and the sender say", async () => {
    const isUnverified = async (headers: unknown, authenticationServer?: string) => {
      const event = Buffer.from(JSON.stringify({ from: "ana@example.com", text: "Hi", headers }));
      const content = await readContent({ receiver: "email_inbound", providerEventId: "msg_1" }, event, { authenticationServer });
      return content.kind === "message" && content.isUnverified === true;
    };
    const header = (value: string) => ({ name: "Authentication-Results", value });
    const [failed, passed] = [
      "MX.example.com 1; spf=pass smtp.mailfrom=a@b.example; dmarc=fail (p=none) header.from=example.com",
      "mx.example.com; dmarc=pass",
    ];
    const injected = 'mx.example.com; spf=fail smtp.mailfrom="a; dkim=pass"@b.example (x; dkim=pass)';
    expect(await isUnverified([header(failed)], "mx.example.com")).toBe(true);
    expect(await isUnverified([header(failed), header(passed)], "mx.example.com")).toBe(true);
    expect(await isUnverified({ "authentication-results": [passed, failed] }, "mx.example.com")).toBe(true);
    expect(await isUnverified({ "Authentication-Results": injected }, "mx.example.com")).toBe(true);
    expect(await isUnverified([header(passed), header(failed.replace("MX", "mail"))], "mx.example.com")).toBe(false);
    expect(await isUnverified([header(failed)])).toBe(false);
    expect(await isUnverified(undefined, "mx.example.com")).toBe(false);
  });

  test("is read whatever its members are, without an error", async () => {
    const values = [null, 1, "", "x", [], {}, [null], { email: 1 }, "\ud800", "a@b.c\u0000", ["a@b.c", { address: "d@e.f" }]];
    for (const member of ["from", "to", "subject", "text", "html", "headers", "message_id", "type", "data", "attachments"])
      for (const value of values) expect(["message", "none"]).toContain((await providerEmail({ from: "ana@example.com", text: "t", [member]: value })).kind);
  });
});

describe("the files of a message", () => {
  const filesOf = async (attachments: unknown) => {
    const content = await providerEmail({ from: "ana@example.com", text: "Hi", attachments });
    return content.kind === "message" ? content.files : [];
  };
  const content = Buffer.from("A photo.").toString("base64");

  test("are read in JSON of several forms, and those without content are named", async () => {
    const attachments = [
      { filename: "a.png", content, content_type: "image/png" },
      { name: "b.png", content },
      { content },
      { filename: "c.png", url: "https://x" },
    ];
    const file = { content: Buffer.from("A photo.") };
    expect(await filesOf(attachments)).toEqual([
      { name: "a.png", ...file },
      { name: "b.png", ...file },
      { name: "file-3", ...file },
      { name: "c.png", dropped: "no_content" },
    ]);
    expect(await filesOf([null, 1, "x", [], { content: 1 }, { filename: {}, content }])).toMatchObject(Array(6).fill({ dropped: "no_content" }));
    for (const attachments of [undefined, null, "x", {}, 1]) expect(await filesOf(attachments)).toEqual([]);
  });

  test("are at most ten, of thousands the first thirty are named, and names are one short line", async () => {
    const name = `${"a".repeat(5_000)}\u0000\u202e\r\nX: y.png`;
    const files = await filesOf(Array.from({ length: 5_000 }, () => ({ filename: name, content: "QQ==" })));
    expect(files).toHaveLength(31);
    expect(files.filter((file) => "content" in file)).toHaveLength(10);
    expect(files.slice(10).every((file) => "dropped" in file && file.dropped === "too_many")).toBe(true);
    expect(files[30]!.name).toBe("970 more files");
    expect(files.every((file) => file.name.length <= 100 && !/[\p{C}]/u.test(file.name))).toBe(true);
  });

  test("of a text message are its pictures, as many as have an address", async () => {
    const read = async (form: Record<string, string>) => {
      const body = Buffer.from(new URLSearchParams({ MessageSid: "SM1", From: "+15185550142", ...form }).toString());
      const message = await readContent({ receiver: "sms_inbound", providerEventId: "SM1" }, body);
      return message.kind === "message" ? message.files : [];
    };
    expect(await read({ NumMedia: "2", MediaUrl0: "https://a.example/1" })).toEqual([
      { name: "picture-1", url: "https://a.example/1" },
      { name: "picture-2", dropped: "no_content" },
    ]);
    for (const NumMedia of ["-1", "x", "NaN", ""]) expect(await read({ NumMedia, MediaUrl0: "https://a.example/1" })).toEqual([]);
    expect(await read({ NumMedia: "1e9" })).toHaveLength(20);
  });

  test("have one id for each message and position, which begins with the time of the message", () => {
    const messageId = newId();
    const ids = [0, 1, 2].map((index) => fileIdOf(messageId, index));
    expect(new Set(ids).size).toBe(3);
    expect(fileIdOf(messageId, 0)).toBe(ids[0]);
    for (const id of ids) expect([id.slice(0, 13), Id.safeParse(id).success]).toEqual([messageId.slice(0, 13), true]);
  });
});

describe("the own text of an answer", () => {
  test.each([
    ["Yes.\n\nOn Fri, Nov 27, 2026 at 9:00 AM Elm <office@example.com> wrote:\n> Ready?\n", "Yes."],
    ["Yes.\n\nOn Fri, Nov 27, 2026 at 9:00 AM Elm Street Management\n<office@example.com> wrote:\n\n> Ready?", "Yes."],
    ["Ja.\r\n\r\nAm 27.11.2026 um 09:00 schrieb Elm:\r\n> Fertig?", "Ja."],
    ["Sí.\n\nEl lun, 30 nov 2026 a las 10:00, Elm (<office@example.com>) escribió:\n> ¿Listo?", "Sí."],
    ["Sí.\n\nEl lun, 30 nov 2026 a las 10:00, Elm Street Management\n(<office@example.com>) escribió:\n\n> ¿Listo?", "Sí."],
    ["Oui.\n\nLe lun. 30 nov. 2026 à 10:00, Elm <office@example.com> a écrit :\n> Prêt ?", "Oui."],
    ["Yes.\n\n-----Original Message-----\nFrom: Elm\nSent: Friday\n\nReady?", "Yes."],
    ["Yes.\n\nFrom: Elm <office@example.com>\nSent: Friday, November 27, 2026\nTo: Ana\nSubject: Keys\n\nReady?", "Yes."],
    ["Yes.\n-- \nAna Ruiz\n+1 518 555 0142", "Yes."],
    ["Yes.\n> Ready?\n>\n", "Yes."],
  ])("of %j is %j", (text, own) => expect(replyText(text)).toEqual({ text: own, isCut: true }));

  test.each(["> Ready?\n", "On Monday I wrote a letter.\nIt was long.", "From: the window you can see it.\nNice.", "One - two -- three", ""])(
    "of %j is the whole text",
    (text) => expect(replyText(text)).toEqual({ text, isCut: false }),
  );

  test("is found in a text of a million characters at once", () => {
    const startedAt = performance.now();
    for (const text of ["On ".repeat(330_000), `On ${"x".repeat(1_000_000)}`, "- ".repeat(500_000), `${"> ".repeat(10)}\n`.repeat(4_000)]) replyText(text);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });
});

test("a text is stored without NUL characters and halves of surrogate pairs", () => {
  expect(storableText("a\u0000b\ud800c👋")).toBe("ab\ufffdc👋");
});
