import { grpcService } from "@freehold/kit/rpc/grpc";
import type { ExecuteOperations } from "@freehold/kit/rpc/execute-operations";
import { PortfolioServiceService, type PortfolioServiceServer } from "@freehold/proto/portfolio/v1/portfolio";
import type { Clients } from "./clients.ts";
import { claimInvite, findInvite } from "./people/invites/acceptance/accept-invite.ts";
import type { InviteTokens } from "./people/invites/invite-token.rules.ts";
import type { DocumentDependencies } from "./documents/documents.ts";
import { findLeaseMessages } from "./leases/lease-billing.ts";
import { findContactMessages, findContactMessagesByAddress, findOrganizationsByPhone, findResidents } from "./rpc/contacts.queries.ts";
import { storeConversationFile } from "./documents/received/conversation-files.ts";
import { createDocumentLinkMessages, findDocumentMessages, findSharedDocuments } from "./rpc/documents.queries.ts";
import { findMatchingRecords } from "./rpc/matches.queries.ts";
import { findTenancies } from "./rpc/tenancies.queries.ts";
import { findOwnedPropertyMessages } from "./rpc/owned-properties.queries.ts";
import {
  findOwnerMessages,
  findPropertyMessages,
  findTenantMessages,
  findUnitMessages,
  findUnitMessagesOfProperties,
  findVendorMessages,
  findVendorsWithLapsedInsurance,
  findWorkOrderMessages,
} from "./rpc/portfolio-messages.queries.ts";

/** Dependencies of the gRPC service besides the database. */
interface GrpcDependencies {
  clients: Clients;
  tokens: InviteTokens;
  documents: DocumentDependencies & { publicUrl: string };
  executeOperations: ExecuteOperations;
}

/** Creates the gRPC service of portfolio. */
export const portfolioService = ({ clients, tokens, documents, executeOperations }: GrpcDependencies) =>
  grpcService<PortfolioServiceServer>(PortfolioServiceService, ["identity", "ledger", "communications", "imports"], {
    getProperties: async ({ ids }, db) => ({ properties: await findPropertyMessages(db, ids) }),
    getUnits: async ({ ids }, db) => ({ units: await findUnitMessages(db, ids) }),
    getUnitsOfProperties: async ({ ids }, db) => ({ units: await findUnitMessagesOfProperties(db, ids) }),
    getTenants: async ({ ids }, db) => ({ tenants: await findTenantMessages(db, ids) }),
    getOwners: async ({ ids }, db) => ({ owners: await findOwnerMessages(db, ids) }),
    getLeases: async ({ ids }, db) => ({ leases: await findLeaseMessages(db, ids) }),
    getVendors: async ({ ids }, db) => ({ vendors: await findVendorMessages(db, ids) }),
    listVendorsWithLapsedInsurance: async ({ asOf }, db) => ({ vendors: await findVendorsWithLapsedInsurance(db, asOf) }),
    getWorkOrders: async ({ ids }, db) => ({ workOrders: await findWorkOrderMessages(db, ids) }),
    getOwnedProperties: async (request, db) => ({ properties: await findOwnedPropertyMessages(db, request) }),
    getContacts: async (request, db) => ({ contacts: await findContactMessages(db, request) }),
    findContacts: async (request, db) => ({ contacts: await findContactMessagesByAddress(db, request) }),
    findOrganizationsByPhone: async (request, db) => ({ ids: await findOrganizationsByPhone(db, request) }),
    listResidents: async (request, db) => findResidents(db, request),
    getTenancies: (_, db) => findTenancies(db),
    getSharedDocuments: async (request, db) => ({ documents: await findSharedDocuments(db, clients, request) }),
    createDocumentLinks: async (request, db) => ({ links: await createDocumentLinkMessages(db, documents, request) }),
    storeConversationFile: (request, db) => storeConversationFile(db, documents, request),
    getDocuments: async ({ ids }, db) => ({ documents: await findDocumentMessages(db, ids) }),
    findInvite: ({ token }, db) => findInvite(db, tokens, token),
    claimInvite: ({ token }, db) => claimInvite(db, tokens, token),
    findMatches: async (request, db) => ({ matches: await findMatchingRecords(db, request) }),
    executeOperations,
  });
