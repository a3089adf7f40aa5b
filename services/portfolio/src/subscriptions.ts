/** What portfolio does about events: other services', and what of its own goes on after the commit. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { activitySubscriptions, keepActivity } from "./overview/activity/keep-activity.ts";
import type { Clients } from "./clients.ts";
import { addStarterTemplate } from "./maintenance/inspections/inspection-templates.ts";
import { portalKinds } from "./people/invites/invite.rules.ts";
import { leavePortal } from "./people/invites/subjects.ts";
import { mailVendor } from "./maintenance/work-orders/mail-vendor.ts";

export const subscriptions = (ask: Clients): Subscriptions => ({
  ...activitySubscriptions,
  "organization.created": (_db, _event, once) => once(addStarterTemplate),
  "user.deleted": async (_db, { entityId, data }, once) => {
    const kind = portalKinds.find((each) => each === data.role);
    if (kind) await once((tx) => leavePortal(tx, kind, entityId));
  },
  "work_order.assigned": async (db, event) => {
    await keepActivity(db, [event]);
    await mailVendor(db, ask, event);
  },
});
