import { messages } from "@freehold/contract/messages";
import { notFound } from "@freehold/kit/errors";
import { handlers } from "@freehold/kit/serve";
import { listDevOutbox, type DevOutbox } from "./dev-outbox.ts";

export const messagesHttp = (outbox: DevOutbox | undefined) =>
  handlers(messages, {
    listDevOutbox: async ({ query }) => {
      if (!outbox) throw notFound("Operation");
      return { messages: await listDevOutbox(outbox, query.to) };
    },
  });
