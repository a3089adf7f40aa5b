/** Routes of the rows that imports write with several changes. */
import { importedRecords } from "@freehold/contract/imports/imported-records";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { importTenant } from "../people/tenants/tenants.ts";
import { importProperty } from "../properties/properties.ts";
import { importUnit } from "../properties/units/units.ts";
import { importEndedLease } from "./import-ended-lease.ts";
import { importLeaseChange } from "./import-lease-change.ts";
import { importLease } from "./import-lease.ts";
import { importOccupant } from "./import-occupant.ts";
import { importWorkOrder } from "./import-work-order.ts";
import { importWorkOrderChange } from "./import-work-order-change.ts";

export const importedRecordRoutes = (clients: Clients) =>
  routes(importedRecords, {
    importProperty: ({ db, body }) => importProperty(db, body),
    importUnit: ({ db, body }) => importUnit(db, body),
    importTenant: ({ db, body }) => importTenant(db, body),
    importLease: ({ db, body }) => importLease(db, clients, body),
    importEndedLease: ({ db, body }) => importEndedLease(db, clients, body),
    importLeaseChange: ({ db, params, body }) => importLeaseChange(db, clients, params.id, body),
    importOccupant: ({ db, body }) => importOccupant(db, clients, body),
    importWorkOrder: ({ db, body }) => importWorkOrder(db, clients, body),
    importWorkOrderChange: ({ db, params, body }) => importWorkOrderChange(db, clients, params.id, body),
  });
