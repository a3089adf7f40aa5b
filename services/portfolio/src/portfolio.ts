import { chooseStore } from "@freehold/kit/chosen-store";
import { inboxIn } from "@freehold/kit/file-store";
import { keepRunning } from "@freehold/kit/file-sweep";
import { performer } from "@freehold/kit/perform";
import { startService } from "@freehold/kit/service";
import { activityDoor } from "./activity/activity.http.ts";
import { FORGET_ACTIVITY, forgetActivity } from "./activity/forget-activity.ts";
import { clients } from "./clients.ts";
import { billingSchedulesDoor } from "./billing-schedules/billing-schedules.http.ts";
import { config } from "./config.ts";
import { dashboardDoor } from "./dashboard/dashboard.http.ts";
import { database } from "./database.ts";
import { documentLinks } from "./documents/document-link.rules.ts";
import { documentsDoor } from "./documents/documents.http.ts";
import { sweepDocuments } from "./documents/sweep-documents.ts";
import { expireInvites } from "./invites/expire-invites.ts";
import { inviteTokens } from "./invites/invite-token.rules.ts";
import { invitesDoors } from "./invites/invites.http.ts";
import { inspectionsDoors } from "./inspections/inspections.http.ts";
import { expireLeases } from "./leases/expire-leases.ts";
import { leasesDoor } from "./leases/leases.http.ts";
import { startLeases } from "./leases/start-leases.ts";
import { notesDoor } from "./notes/notes.http.ts";
import { applyOwnership } from "./ownership/apply-ownership.ts";
import { occupantsDoor } from "./occupants/occupants.http.ts";
import { ownersDoor } from "./owners/owners.http.ts";
import { parkingRightsDoor } from "./parking-rights/parking-rights.http.ts";
import { portfolioQuestions } from "./portfolio.grpc.ts";
import { ownerPortalDoor } from "./portals/owner/owner-portal.http.ts";
import { tenantPortalDoor } from "./portals/tenant/tenant-portal.http.ts";
import { vendorPortalDoor } from "./portals/vendor/vendor-portal.http.ts";
import { propertiesDoor } from "./properties/properties.http.ts";
import { applyRentChanges } from "./rent-changes/apply-rent-changes.ts";
import { rentChangesDoor } from "./rent-changes/rent-changes.http.ts";
import { searchDoor } from "./search/search.http.ts";
import { subscriptions } from "./subscriptions.ts";
import { taxIds } from "./tax-ids/tax-id.rules.ts";
import { tenantsDoor } from "./tenants/tenants.http.ts";
import { unitsDoors } from "./units/units.http.ts";
import { vendorsDoor } from "./vendors/vendors.http.ts";
import { workOrdersDoor } from "./work-orders/work-orders.http.ts";

/** Properties, the people around them and their leases. */
export function start() {
  const settings = config();
  const keepTaxIds = taxIds(Buffer.from(settings.PORTFOLIO_ENCRYPTION_KEY, "base64"));
  const tokens = inviteTokens(settings.ASSERTION_KEY);
  const { DOCUMENTS_DIR: dir, PUBLIC_URL: publicUrl } = settings;
  const store = chooseStore(settings, { what: "Documents", setting: "DOCUMENTS_DIR", dir, folder: "documents" });
  const documents = { store, links: documentLinks(settings.ASSERTION_KEY), quotaBytes: settings.DOCUMENTS_QUOTA_MIB * 1_048_576, publicUrl };
  return startService({
    name: "portfolio",
    database,
    databaseUrl: settings.PORTFOLIO_DATABASE_URL,
    settings,
    assemble: async ({ seals, database, log }) => {
      if (dir !== undefined) await keepRunning(database, "sweepDocuments");
      const ask = clients({ identity: settings.IDENTITY_GRPC, ledger: settings.LEDGER_GRPC, communications: settings.COMMUNICATIONS_GRPC }, seals);
      const doors = [
        propertiesDoor(ask),
        ...unitsDoors(ask),
        ownersDoor(ask, keepTaxIds),
        tenantsDoor(ask),
        vendorsDoor(ask, keepTaxIds),
        ...invitesDoors({ ask, tokens, publicUrl }),
        leasesDoor(ask),
        occupantsDoor(ask),
        rentChangesDoor(ask),
        billingSchedulesDoor(ask),
        parkingRightsDoor(ask),
        workOrdersDoor(ask),
        ...inspectionsDoors(ask),
        tenantPortalDoor(ask),
        ownerPortalDoor(ask),
        vendorPortalDoor(ask, keepTaxIds),
        notesDoor(ask),
        searchDoor(ask),
        activityDoor(),
        dashboardDoor(ask),
        documentsDoor(database, ask, documents),
      ];
      return {
        doors,
        grpc: portfolioQuestions(tokens, performer(doors, log)),
        subscriptions: subscriptions(ask),
        jobs: {
          startLeases: startLeases(ask),
          expireLeases: expireLeases(ask),
          applyRentChanges: applyRentChanges(ask),
          applyOwnership: applyOwnership(ask),
          expireInvites,
          [FORGET_ACTIVITY]: forgetActivity,
          ...(dir !== undefined && { sweepDocuments: sweepDocuments(store) }),
        },
        inbox: dir && inboxIn(dir),
      };
    },
  });
}
