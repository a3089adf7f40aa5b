import { eventPublisher } from "@freehold/kit/db/outbox";

/** Adds events of portfolio to the transaction that causes them, which publishes them when it commits. */
export const publish = eventPublisher("portfolio");
