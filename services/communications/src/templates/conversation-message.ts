import { emailHtml } from "./html.ts";
import { toSingleLine, type RenderedMessage } from "./template.ts";

/** Content of an e-mail of a conversation. */
export interface ConversationEmail {
  subject: string | null;
  organizationName: string;
  body: string;
  /** Names of the attached documents, which are in the portal. */
  fileNames: readonly string[];
}

/** Renders a message of a conversation as an e-mail. The text of the office is kept as it is, with its links. */
export function renderConversationMessage({ subject, organizationName, body, fileNames }: ConversationEmail): RenderedMessage {
  const title = toSingleLine(subject ?? `Message from ${organizationName}`);
  const footnotes = [
    ...(fileNames.length > 0 ? [`Documents in the portal: ${fileNames.map(toSingleLine).join(", ")}.`] : []),
    `${toSingleLine(organizationName)} sent this message.`,
  ];
  const paragraphs = body.split(/\n+/).filter((line) => line.trim() !== "");
  return { subject: title, text: [body, "", ...footnotes, ""].join("\n"), html: emailHtml(title, paragraphs, undefined, footnotes) };
}
