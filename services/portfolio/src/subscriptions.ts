/** Event handlers of portfolio, for events of other services and for effects of its own events after the commit. */
import { isPortalRole } from "@freehold/contract/roles";
import type { Subscriptions } from "@freehold/kit/events/subscriptions";
import { activitySubscriptions, recordActivity } from "./overview/activity/record-activity.ts";
import type { Clients } from "./clients.ts";
import { addStarterTemplate } from "./maintenance/inspections/templates/inspection-templates.ts";
import { setPortalStatus, unlinkPortalUser } from "./people/invites/subjects.ts";
import { findAccountConsent, followTenantOptOut, recordAccountConsent } from "./people/tenants/portal-consent.ts";
import { sendAssignmentEmail } from "./maintenance/work-orders/send-assignment-email.ts";

export const subscriptions = (clients: Clients): Subscriptions => ({
  ...activitySubscriptions,
  "organization.created": (_db, _event, once) => once(addStarterTemplate),
  "user.created": async (db, { entityId: userId, data: { role } }, once) => {
    const consent = role === "tenant" ? await findAccountConsent(db, clients, userId) : undefined;
    if (consent) await once((tx) => recordAccountConsent(tx, userId, consent));
  },
  "user.updated": async (db, { entityId: userId, data: { role, isActive } }, once) => {
    if (!isPortalRole(role)) return;
    const consent = role === "tenant" ? await findAccountConsent(db, clients, userId) : undefined;
    await once(async (tx) => {
      await setPortalStatus(tx, role, { userId, isActive });
      if (consent) await recordAccountConsent(tx, userId, consent);
    });
  },
  "user.deleted": async (_db, { entityId, data: { role } }, once) => {
    if (isPortalRole(role)) await once((tx) => unlinkPortalUser(tx, role, entityId));
  },
  "sms_opt_out.created": (db, event, once) => followTenantOptOut(db, clients, event, once),
  "sms_opt_out.ended": (db, event, once) => followTenantOptOut(db, clients, event, once),
  "work_order.assigned": async (db, event) => {
    await recordActivity(db, [event]);
    await sendAssignmentEmail(db, clients, event);
  },
});
