/** What portfolio does about other services' events. */
import type { Subscriptions } from "@freehold/kit/consumer";
import { portalKinds } from "./invites/invite.rules.ts";
import { leavePortal } from "./invites/subjects.ts";

export const subscriptions: Subscriptions = {
  "user.deleted": async (_db, { entityId, data }, once) => {
    const kind = portalKinds.find((each) => each === data.role);
    if (kind) await once((tx) => leavePortal(tx, kind, entityId));
  },
};
