import { z } from "zod";
import { area } from "./operation.ts";
import { Id, Instant } from "./values.ts";

export const OutboxMessage = z
  .strictObject({
    id: Id,
    channel: z.enum(["email", "sms"]),
    to: z.string(),
    from: z.string(),
    subject: z.string().nullable(),
    text: z.string(),
    html: z.string().nullable(),
    links: z.array(z.string()),
    createdAt: Instant,
  })
  .meta({ id: "OutboxMessage" });
export type OutboxMessage = z.output<typeof OutboxMessage>;

export const messages = area("Development", "communications", {
  listDevOutbox: {
    method: "GET",
    path: "/api/dev/outbox",
    summary: "read the development outbox",
    access: "public",
    description: "What would have been sent, newest first, at most 100. Only where no mail server is set and the embedded database serves; elsewhere 404.",
    query: z.strictObject({ to: z.string().max(254).optional() }),
    returns: { messages: z.array(OutboxMessage) },
    fails: [404],
  },
});
