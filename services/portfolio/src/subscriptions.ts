/** Event handlers of portfolio, for events of other services and for effects of its own events after the commit. */
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { activitySubscriptions, recordActivity } from "./overview/activity/record-activity.ts";
import type { Clients } from "./clients.ts";
import { addStarterTemplate } from "./maintenance/inspections/inspection-templates.ts";
import { portalKinds, type PortalKind } from "./people/invites/invite.rules.ts";
import { setPortalLock, unlinkPortalUser } from "./people/invites/subjects.ts";
import { sendAssignmentEmail } from "./maintenance/work-orders/send-assignment-email.ts";

const portalKindOf = (role: string): PortalKind | undefined => portalKinds.find((kind) => kind === role);

export const subscriptions = (clients: Clients): Subscriptions => ({
  ...activitySubscriptions,
  "organization.created": (_db, _event, once) => once(addStarterTemplate),
  "user.updated": async (_db, { entityId: userId, data: { role, isActive } }, once) => {
    const kind = portalKindOf(role);
    if (kind) await once((tx) => setPortalLock(tx, kind, { userId, isActive }));
  },
  "user.deleted": async (_db, { entityId, data: { role } }, once) => {
    const kind = portalKindOf(role);
    if (kind) await once((tx) => unlinkPortalUser(tx, kind, entityId));
  },
  "work_order.assigned": async (db, event) => {
    await recordActivity(db, [event]);
    await sendAssignmentEmail(db, clients, event);
  },
});
