import { vendors } from "@freehold/contract/people/vendors";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../../clients.ts";
import type { TaxIdEncryptor } from "../tax-ids/tax-id.rules.ts";
import { createVendor, deleteVendor, getVendor, listVendors, updateVendor } from "./vendors.ts";

export const vendorRoutes = (clients: Clients, encryptTaxId: TaxIdEncryptor) =>
  routes(vendors, {
    listVendors: ({ db, query }) => listVendors(db, clients, query),
    createVendor: ({ db, body }) => createVendor(db, clients, encryptTaxId, body),
    getVendor: ({ db, params }) => getVendor(db, clients, params.id),
    updateVendor: ({ db, params, body }) => updateVendor(db, clients, encryptTaxId, params.id, body),
    deleteVendor: ({ db, params }) => deleteVendor(db, clients, params.id),
  });
