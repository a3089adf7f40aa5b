import { configuredStore } from "@freehold/kit/files/configured-store";
import { uploadDirIn } from "@freehold/kit/files/file-store";
import { scheduleGlobalJob } from "@freehold/kit/jobs/scheduler";
import { operationExecutor } from "@freehold/kit/rpc/execute-operations";
import { startService } from "@freehold/kit/runtime/service";
import { activityDoor } from "./overview/activity/activity.routes.ts";
import { FORGET_ACTIVITY, forgetActivity } from "./overview/activity/forget-activity.ts";
import { clients } from "./clients.ts";
import { billingSchedulesDoor } from "./leases/billing-schedules/billing-schedules.routes.ts";
import { config } from "./config.ts";
import { dashboardDoor } from "./overview/dashboard/dashboard.routes.ts";
import { database } from "./database.ts";
import { documentLinks } from "./documents/document-link.rules.ts";
import { documentsDoor } from "./documents/documents.routes.ts";
import { sweepDocuments } from "./documents/sweep-documents.ts";
import { expireInvites } from "./people/invites/expire-invites.ts";
import { inviteTokens } from "./people/invites/invite-token.rules.ts";
import { invitesDoors } from "./people/invites/invites.routes.ts";
import { inspectionsDoors } from "./maintenance/inspections/inspections.routes.ts";
import { expireLeases } from "./leases/lifecycle/expire-leases.ts";
import { leasesDoor } from "./leases/leases.routes.ts";
import { startLeases } from "./leases/lifecycle/start-leases.ts";
import { notesDoor } from "./documents/notes/notes.routes.ts";
import { applyOwnership } from "./properties/ownership/apply-ownership.ts";
import { occupantsDoor } from "./leases/occupants/occupants.routes.ts";
import { ownersDoor } from "./people/owners/owners.routes.ts";
import { parkingRightsDoor } from "./leases/parking-rights/parking-rights.routes.ts";
import { portfolioQuestions } from "./portfolio.grpc.ts";
import { ownerPortalDoor } from "./portals/owner/owner-portal.routes.ts";
import { tenantPortalDoor } from "./portals/tenant/tenant-portal.routes.ts";
import { vendorPortalDoor } from "./portals/vendor/vendor-portal.routes.ts";
import { propertiesDoor } from "./properties/properties.routes.ts";
import { applyRentChanges } from "./leases/rent-changes/apply-rent-changes.ts";
import { rentChangesDoor } from "./leases/rent-changes/rent-changes.routes.ts";
import { searchDoor } from "./overview/search/search.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { taxIds } from "./people/tax-ids/tax-id.rules.ts";
import { tenantsDoor } from "./people/tenants/tenants.routes.ts";
import { unitsDoors } from "./properties/units/units.routes.ts";
import { vendorsDoor } from "./people/vendors/vendors.routes.ts";
import { workOrdersDoor } from "./maintenance/work-orders/work-orders.routes.ts";

/** Properties, the people around them and their leases. */
export function start() {
  const settings = config();
  const keepTaxIds = taxIds(Buffer.from(settings.PORTFOLIO_ENCRYPTION_KEY, "base64"));
  const tokens = inviteTokens(settings.ASSERTION_KEY);
  const { DOCUMENTS_DIR: dir, PUBLIC_URL: publicUrl } = settings;
  const store = configuredStore(settings, { description: "Documents", setting: "DOCUMENTS_DIR", dir, keyPrefix: "documents" });
  const documents = { store, links: documentLinks(settings.ASSERTION_KEY), quotaBytes: settings.DOCUMENTS_QUOTA_MIB * 1_048_576, publicUrl };
  return startService({
    name: "portfolio",
    database,
    databaseUrl: settings.PORTFOLIO_DATABASE_URL,
    settings,
    assemble: async ({ assertions, database, log }) => {
      if (dir !== undefined) await scheduleGlobalJob(database, "sweepDocuments");
      const ask = clients({ identity: settings.IDENTITY_GRPC, ledger: settings.LEDGER_GRPC, communications: settings.COMMUNICATIONS_GRPC }, assertions);
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
        routes: doors,
        grpc: portfolioQuestions(tokens, operationExecutor(doors, log)),
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
        uploadDir: dir && uploadDirIn(dir),
      };
    },
  });
}
