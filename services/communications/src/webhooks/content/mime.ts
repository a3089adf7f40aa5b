/** Parsing of MIME messages of bounded size and complexity. */
import type { AddressObject, Attachment } from "mailparser";
import type { InboundFile } from "../../conversations/files/inbound-file.rules.ts";
import type { Email } from "./email-content.ts";
import { findDeliveryReport } from "./returned-mail.ts";

const MAX_BYTES = 1_048_576;
const MAX_HEADER_BYTES = 65_536;
const MAX_HEADERS = 500;
/** Boundaries in one message: of the parts within parts, and of messages in messages. */
const MAX_BOUNDARIES = 20;
const MAX_PARTS = 200;

/** Returns an e-mail, or undefined for one that is larger or more complex than those that people send. Pictures of a signature are left out. */
export async function parseMime(source: Buffer): Promise<Email | undefined> {
  if (!isBounded(source)) return undefined;
  // Loaded at the first incoming e-mail, since it takes several megabytes.
  const { simpleParser } = await import("mailparser");
  const mail = await simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
    maxHtmlLengthToParse: MAX_BYTES,
  });
  const headers = new Map(
    mail.headerLines.map(({ key, line }) => [
      key,
      line
        .slice(line.indexOf(":") + 1)
        .replaceAll(/\r?\n\s*/g, " ")
        .trim(),
    ]),
  );
  return {
    from: addressesOf(mail.from)[0] ?? "",
    to: [mail.to, mail.cc].flat().flatMap(addressesOf),
    subject: mail.subject ?? null,
    text: mail.text ?? null,
    html: typeof mail.html === "string" ? mail.html : null,
    messageId: mail.messageId,
    headers,
    files: mail.attachments.filter((attachment) => !isDecoration(attachment)).map(fileOf),
    report: findDeliveryReport(source.toString("latin1")),
  };
}

/** Pictures that a text embeds are photos when they are larger, and logos or icons of a signature when they are smaller. */
const MAX_DECORATION_BYTES = 16_384;
const isDecoration = ({ related, contentDisposition, content }: Attachment): boolean =>
  related && contentDisposition !== "attachment" && content.length < MAX_DECORATION_BYTES;

const fileOf = ({ filename, content }: Attachment): InboundFile => ({ name: typeof filename === "string" ? filename : "", content });

const addressesOf = (list: AddressObject | undefined): string[] =>
  (list?.value ?? []).flatMap(({ address, group = [] }) => [address, ...group.map((each) => each.address)].filter((each) => each !== undefined));

/** Tells whether a message has an ordinary size, number of headers and number of parts. */
function isBounded(source: Buffer): boolean {
  if (source.length > MAX_BYTES) return false;
  const text = source.toString("latin1");
  const head = text.slice(0, /\r?\n\r?\n/.exec(text)?.index ?? text.length);
  if (head.length > MAX_HEADER_BYTES || head.split("\n").length > MAX_HEADERS) return false;
  const boundaries = [...text.matchAll(/\bboundary\*?\d*\*?=\s*"?([^"\r\n;]{1,200})/gi)].slice(0, MAX_BOUNDARIES + 1).map((match) => match[1]!.trim());
  if (boundaries.length > MAX_BOUNDARIES) return false;
  const parts =
    boundaries.length === 0
      ? 0
      : text.split("\n").filter((line) => line.startsWith("--") && boundaries.some((boundary) => line.startsWith(`--${boundary}`))).length;
  return parts <= MAX_PARTS;
}
