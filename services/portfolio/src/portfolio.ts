import { configuredStore } from "@freehold/kit/files/configured-store";
import { uploadDirIn } from "@freehold/kit/files/file-store";
import { quotaFinder, uploadCapacity } from "@freehold/kit/files/storage-quota";
import type { Database } from "@freehold/kit/db/org-db";
import { withOfficeReach } from "@freehold/kit/db/portal-reach";
import type { Routes } from "@freehold/kit/http/routes";
import { scheduleGlobalJob } from "@freehold/kit/jobs/scheduler";
import { operationExecutor } from "@freehold/kit/rpc/execute-operations";
import { startService } from "@freehold/kit/runtime/service";
import { activityRoutes } from "./overview/activity/activity.routes.ts";
import { createClients, type Clients } from "./clients.ts";
import { billingScheduleRoutes } from "./leases/billing-schedules/billing-schedules.routes.ts";
import { config } from "./config.ts";
import { dashboardRoutes } from "./overview/dashboard/dashboard.routes.ts";
import { database as definition } from "./database.ts";
import { documentLinks } from "./documents/document-link.rules.ts";
import type { DocumentDependencies } from "./documents/documents.ts";
import { readDocumentBytes } from "./documents/document-usage.queries.ts";
import { documentRoutes } from "./documents/documents.routes.ts";
import { createInviteTokens, type InviteTokens } from "./people/invites/invite-token.rules.ts";
import { inviteRoutes } from "./people/invites/invites.routes.ts";
import { importedRecordRoutes } from "./imports/imported-records.routes.ts";
import { inspectionRoutes } from "./maintenance/inspections/inspections.routes.ts";
import { jobs } from "./jobs.ts";
import { leaseRoutes } from "./leases/leases.routes.ts";
import { noteRoutes } from "./documents/notes/notes.routes.ts";
import { occupantRoutes } from "./leases/occupants/occupants.routes.ts";
import { ownerRoutes } from "./people/owners/owners.routes.ts";
import { parkingRightRoutes } from "./leases/parking-rights/parking-rights.routes.ts";
import { portfolioService } from "./portfolio.grpc.ts";
import { ownerPortalRoutes } from "./portals/owner/owner-portal.routes.ts";
import { tenantPortalRoutes } from "./portals/tenant/tenant-portal.routes.ts";
import { vendorPortalRoutes } from "./portals/vendor/vendor-portal.routes.ts";
import { propertyRoutes } from "./properties/properties.routes.ts";
import { rentChangeRoutes } from "./leases/rent-changes/rent-changes.routes.ts";
import { searchRoutes } from "./overview/search/search.routes.ts";
import { subscriptions } from "./subscriptions.ts";
import { createTaxIdEncryptor, type TaxIdEncryptor } from "./people/tax-ids/tax-id.rules.ts";
import { tenantRoutes } from "./people/tenants/tenants.routes.ts";
import { unitRoutes } from "./properties/units/units.routes.ts";
import { vendorRoutes } from "./people/vendors/vendors.routes.ts";
import { workOrderRoutes } from "./maintenance/work-orders/work-orders.routes.ts";

interface Dependencies {
  clients: Clients;
  database: Database;
  encryptTaxId: TaxIdEncryptor;
  tokens: InviteTokens;
  documents: DocumentDependencies;
  publicUrl: string;
}

/** Returns the routes of all operations of portfolio. */
export const portfolioRoutes = ({ clients, database, encryptTaxId, tokens, documents, publicUrl }: Dependencies): Routes[] => [
  propertyRoutes(clients),
  ...unitRoutes(clients),
  ownerRoutes(clients, encryptTaxId),
  tenantRoutes(clients),
  vendorRoutes(clients, encryptTaxId),
  ...inviteRoutes({ clients, tokens, publicUrl }),
  leaseRoutes(clients),
  occupantRoutes(clients),
  rentChangeRoutes(clients),
  billingScheduleRoutes(clients),
  parkingRightRoutes(clients),
  workOrderRoutes(clients),
  ...inspectionRoutes(clients),
  tenantPortalRoutes(clients, documents),
  ownerPortalRoutes(clients),
  vendorPortalRoutes(clients, encryptTaxId, documents),
  noteRoutes(clients),
  searchRoutes(clients),
  activityRoutes(),
  dashboardRoutes(clients),
  documentRoutes(database, clients, { ...documents, publicUrl }),
];

/** Starts the portfolio service: properties, their people and their leases. */
export function start() {
  const settings = config();
  const encryptTaxId = createTaxIdEncryptor(Buffer.from(settings.PORTFOLIO_ENCRYPTION_KEY, "base64"));
  const tokens = createInviteTokens(settings.ASSERTION_KEY);
  const { DOCUMENTS_DIR: dir, PUBLIC_URL: publicUrl } = settings;
  const store = configuredStore(settings, { description: "Documents", setting: "DOCUMENTS_DIR", dir, keyPrefix: "documents" });
  return startService({
    name: "portfolio",
    database: definition,
    databaseUrl: settings.PORTFOLIO_DATABASE_URL,
    settings,
    assemble: async ({ assertions, database, log }) => {
      if (dir !== undefined) await scheduleGlobalJob(database, "sweepDocuments");
      const clients = createClients(
        { identity: settings.IDENTITY_GRPC, ledger: settings.LEDGER_GRPC, communications: settings.COMMUNICATIONS_GRPC },
        assertions,
        settings.OPTIONAL_CALL_MS,
      );
      const quotaTexts = { files: "documents", remedy: "Delete documents that are not needed." };
      const findQuota = quotaFinder(settings, quotaTexts, async (db) => (await clients.identity.getOrganization(db, {})).isConfirmed);
      const uploadDir = dir === undefined ? undefined : uploadDirIn(dir);
      const documents = { store, links: documentLinks(settings.ASSERTION_KEY), findQuota, uploadDir };
      const routes = portfolioRoutes({ clients, database, encryptTaxId, tokens, documents, publicUrl });
      return {
        routes,
        grpc: portfolioService({
          clients,
          tokens,
          documents: { ...documents, publicUrl },
          executeOperations: operationExecutor([...routes, importedRecordRoutes(clients)], log),
        }),
        subscriptions: subscriptions(clients),
        jobs: jobs(clients, dir === undefined ? undefined : store),
        uploadDir,
        uploadCapacity: async (db) => uploadCapacity(await findQuota(db), await readDocumentBytes(withOfficeReach(db))),
      };
    },
  });
}
