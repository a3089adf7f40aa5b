import { announcer } from "@freehold/kit/outbox";

/** Announces what portfolio did, in the transaction that did it. */
export const announce = announcer("portfolio");
