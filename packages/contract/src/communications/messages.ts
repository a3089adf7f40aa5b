import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { Id, Instant } from "../values.ts";

export const OutboxMessage = z
  .strictObject({
    id: Id.describe("ID of the message."),
    channel: z.enum(["email", "sms"]).describe("Channel of the message."),
    to: z.string().describe("E-mail address or phone number of the recipient."),
    from: z.string().describe("Address of the sender."),
    subject: z.string().nullable().describe("Subject of an e-mail. Null for a text message."),
    text: z.string().describe("Message as plain text."),
    html: z.string().nullable().describe("Message as HTML, or null when there is only plain text."),
    links: z.array(z.string()).describe("URLs found in the text, such as an invite link."),
    createdAt: Instant.describe("Time at which the message was created."),
  })
  .meta({ id: "OutboxMessage", description: "Message that was stored in the development outbox instead of being sent." });
export type OutboxMessage = z.output<typeof OutboxMessage>;

export const messages = operationGroup("Development", "communications", {
  listDevOutbox: {
    method: "GET",
    path: "/api/dev/outbox",
    summary: "read the development outbox",
    access: "public",
    description:
      "Returns at most 100 messages that would have been sent, newest first. For development: needs no token and shows links that reset passwords. Returns 404 unless no mail server is configured and `DEV_OUTBOX` is on; `npm start` turns it on with embedded databases when `HOST` is a loopback address and `PUBLIC_URL` is unset or one as well.",
    query: z.strictObject({
      to: z.string().max(254).optional().describe("Return only messages to this e-mail address or phone number, ignoring case."),
    }),
    response: { messages: z.array(OutboxMessage).describe("Messages, newest first.") },
    errors: [404],
  },
});
