import { vendors } from "@freehold/contract/vendors";
import { handlers } from "@freehold/kit/serve";
import type { Clients } from "../clients.ts";
import { createVendor, getVendor, listVendors } from "./vendors.ts";

export const vendorsDoor = (ask: Clients) =>
  handlers(vendors, {
    listVendors: ({ db, query }) => listVendors(db, query),
    createVendor: ({ db, body }) => createVendor(db, ask, body),
    getVendor: ({ db, params }) => getVendor(db, ask, params.id),
  });
