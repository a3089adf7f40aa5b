/** How a row of each type becomes a record, and how it changes one. */
import type { ImportEntityType } from "@freehold/contract/import-bundles";
import { createLease, createOccupant, createRecurringCharge, updateLease } from "./leases.ts";
import { createCharge, createDeposit, createOpeningBalance, createPayment } from "./charges-and-payments.ts";
import { createOwner, createTenant, createVendor, updateOwner, updateTenant, updateVendor } from "./people.ts";
import { createProperty, createUnit, updateProperty, updateUnit } from "./properties-and-units.ts";
import type { Create, Update } from "./writable-row.ts";
import { createWorkOrder, updateWorkOrder } from "./work-orders.ts";

interface Writer {
  create: Create;
  /** Without it a record stays as it was written: what was posted is corrected in the books, not by an import. */
  update?: Update;
}

/** What is written row by row; the shares of a property are one change. */
export type RowType = Exclude<ImportEntityType, "ownership">;

export const writers: Record<RowType, Writer> = {
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
