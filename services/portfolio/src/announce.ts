import { eventPublisher } from "@freehold/kit/db/outbox";

/** Announces what portfolio did, in the transaction that did it. */
export const announce = eventPublisher("portfolio");
