import { eventPublisher } from "@freehold/kit/db/outbox";

/** Publishes events of portfolio in the transaction that caused them. */
export const publish = eventPublisher("portfolio");
