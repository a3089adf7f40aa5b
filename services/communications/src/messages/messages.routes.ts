/** Routes of messages. */
import { messages } from "@freehold/contract/communications/messages";
import { notFound } from "@freehold/kit/errors";
import { routes } from "@freehold/kit/http/routes";
import { listDevOutbox, type DevOutbox } from "./dev-outbox.ts";

export const messageRoutes = (outbox: DevOutbox | undefined) =>
  routes(messages, {
    listDevOutbox: async ({ query }) => {
      if (!outbox) throw notFound("Operation");
      return { messages: await listDevOutbox(outbox, query.to) };
    },
  });
