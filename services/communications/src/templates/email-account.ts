import { emailHtml } from "./html.ts";
import { toSingleLine, unlinked, type RenderedMessage } from "./template.ts";

const line = (text: string): string => unlinked(toSingleLine(text));

/** Renders the e-mail with the code that confirms a forwarding address. */
export function renderAccountConfirmation({ organizationName, code }: { organizationName: string; code: string }): RenderedMessage {
  const name = line(organizationName);
  const subject = `Confirm this address for ${name}`;
  const paragraphs = [`${name} wants replies to its e-mails to reach this address. If that is right, enter this code: ${code}`];
  const footnotes = ["The code is valid for 24 hours. If you did not expect it, you can ignore this e-mail."];
  return { subject, text: [...paragraphs, "", ...footnotes, ""].join("\n"), html: emailHtml(subject, paragraphs, undefined, footnotes) };
}

/** Renders a test e-mail of an account. */
export function renderAccountTest({ organizationName, address }: { organizationName: string; address: string }): RenderedMessage {
  const subject = `Test of ${line(address)}`;
  const paragraphs = [`This e-mail was sent from the e-mail account ${line(address)} of ${line(organizationName)}. It works.`];
  return { subject, text: [...paragraphs, ""].join("\n"), html: emailHtml(subject, paragraphs, undefined, []) };
}
