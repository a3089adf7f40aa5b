import { emailHtml, html } from "./html.ts";
import { toSingleLine, type RenderedMessage } from "./template.ts";

/** Document with a link that needs no sign-in. */
export interface LinkedDocument {
  fileName: string;
  url: string;
}

/** Lifetime of the links. */
export const LINK_DAYS = 7;

/** Content of an e-mail of a conversation. */
export interface ConversationEmail {
  subject: string | null;
  organizationName: string;
  body: string;
  documents: readonly LinkedDocument[];
}

/** Renders a message of a conversation as an e-mail. The text of the office is kept as it is, with its links. */
export function renderConversationMessage({ subject, organizationName, body, documents }: ConversationEmail): RenderedMessage {
  const title = toSingleLine(subject ?? `Message from ${organizationName}`);
  const names = documents.map(({ fileName }) => toSingleLine(fileName));
  const note = `Links to documents work for ${LINK_DAYS} days. Afterwards the documents are in the portal only.`;
  const sender = `${toSingleLine(organizationName)} sent this message.`;
  const paragraphs = body.split(/\n+/).filter((line) => line.trim() !== "");
  const textLinks = documents.length === 0 ? [] : ["Documents:", ...documents.map(({ url }, index) => `${names[index]!}: ${url}`), note];
  const htmlLinks = documents.map(({ url }, index) => html`<a href="${url}" style="color:#1d4ed8;word-break:break-all">${names[index]!}</a>`);
  const footnotes = documents.length === 0 ? [sender] : ["Documents:", ...htmlLinks, note, sender];
  return { subject: title, text: [body, "", ...textLinks, sender, ""].join("\n"), html: emailHtml(title, paragraphs, undefined, footnotes) };
}
