/** Routes of messages. */
import { messages } from "@freehold/contract/communications/messages";
import { notFound } from "@freehold/kit/errors";
import { routes } from "@freehold/kit/http/routes";
import { listDevOutbox, type DevOutbox } from "./dev-outbox/dev-outbox.ts";

export const messageRoutes = (devOutbox: DevOutbox | undefined) =>
  routes(messages, {
    listDevOutbox: async ({ query }) => {
      if (!devOutbox) throw notFound("Operation");
      return { messages: await listDevOutbox(devOutbox, query.to) };
    },
  });
