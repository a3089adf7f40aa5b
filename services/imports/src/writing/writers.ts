/** Create and update functions of each entity type. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { createCharge, createDeposit, createOpeningBalance, createPayment } from "./charges-and-payments.ts";
import { createLease, createOccupant, createRecurringCharge, updateLease } from "./leases.ts";
import { createOwner, createTenant, createVendor, updateOwner, updateTenant, updateVendor } from "./people.ts";
import { createProperty, createUnit, updateProperty, updateUnit } from "./properties-and-units.ts";
import { createWorkOrder, updateWorkOrder } from "./work-orders.ts";
import type { CreateRecord, UpdateRecord } from "./writable-row.ts";

interface Writer {
  create: CreateRecord;
  /** Missing for types that an import cannot change, such as posted charges, which are corrected in the ledger. */
  update?: UpdateRecord;
}

/** Entity types that are written row by row; ownership is written by property. */
export type RowWrittenType = Exclude<ImportEntityType, "ownership">;

export const writers: Record<RowWrittenType, Writer> = {
  owner: { create: createOwner, update: updateOwner },
  vendor: { create: createVendor, update: updateVendor },
  property: { create: createProperty, update: updateProperty },
  unit: { create: createUnit, update: updateUnit },
  tenant: { create: createTenant, update: updateTenant },
  lease: { create: createLease, update: updateLease },
  occupant: { create: createOccupant },
  recurring_charge: { create: createRecurringCharge },
  deposit: { create: createDeposit },
  opening_balance: { create: createOpeningBalance },
  charge: { create: createCharge },
  payment: { create: createPayment },
  work_order: { create: createWorkOrder, update: updateWorkOrder },
};
