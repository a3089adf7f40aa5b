import { owners } from "@freehold/contract/people/owners";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { createOwner, deleteOwner, getOwner, listOwners, updateOwner } from "./owners.ts";

export const ownerRoutes = (clients: Clients, encryptTaxId: TaxIdEncryptor) =>
  routes(owners, {
    listOwners: ({ db, query }) => listOwners(db, clients, query),
    createOwner: ({ db, body }) => createOwner(db, encryptTaxId, body),
    getOwner: ({ db, params }) => getOwner(db, clients, params.id),
    updateOwner: ({ db, params, body }) => updateOwner(db, clients, encryptTaxId, params.id, body),
    deleteOwner: ({ db, params }) => deleteOwner(db, clients, params.id),
  });
