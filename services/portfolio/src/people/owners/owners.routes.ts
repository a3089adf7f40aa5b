import { owners } from "@freehold/contract/owners";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import type { TaxIds } from "../tax-ids/tax-id.rules.ts";
import { createOwner, deleteOwner, getOwner, listOwners, updateOwner } from "./owners.ts";

export const ownersDoor = (ask: Clients, taxIds: TaxIds) =>
  routes(owners, {
    listOwners: ({ db, query }) => listOwners(db, ask, query),
    createOwner: ({ db, body }) => createOwner(db, taxIds, body),
    getOwner: ({ db, params }) => getOwner(db, ask, params.id),
    updateOwner: ({ db, params, body }) => updateOwner(db, ask, taxIds, params.id, body),
    deleteOwner: ({ db, params }) => deleteOwner(db, ask, params.id),
  });
