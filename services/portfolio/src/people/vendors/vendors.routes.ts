import { vendors } from "@freehold/contract/vendors";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import type { TaxIds } from "../tax-ids/tax-id.rules.ts";
import { createVendor, deleteVendor, getVendor, listVendors, updateVendor } from "./vendors.ts";

export const vendorsDoor = (ask: Clients, taxIds: TaxIds) =>
  routes(vendors, {
    listVendors: ({ db, query }) => listVendors(db, query),
    createVendor: ({ db, body }) => createVendor(db, ask, taxIds, body),
    getVendor: ({ db, params }) => getVendor(db, ask, params.id),
    updateVendor: ({ db, params, body }) => updateVendor(db, ask, taxIds, params.id, body),
    deleteVendor: ({ db, params }) => deleteVendor(db, params.id),
  });
