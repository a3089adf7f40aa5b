import type { ImportEntityType } from "@freehold/contract/imports/import-bundles";
import { chargeWriter, depositWriter, openingBalanceWriter, paymentWriter } from "./charges-and-payments.ts";
import { expenseWriter } from "./expenses.ts";
import { leaseWriter, occupantWriter } from "./leases.ts";
import { ownerWriter, tenantWriter, vendorWriter } from "./people.ts";
import { propertyWriter, unitWriter } from "./properties/properties-and-units.ts";
import { recurringChargeWriter } from "./recurring-charges/recurring-charges.ts";
import { workOrderWriter } from "./work-orders.ts";
import type { Writer } from "./writable-row.ts";

/** Entity types that are written row by row; ownership is written by property. */
export type RowWrittenType = Exclude<ImportEntityType, "ownership">;

export const writers: Record<RowWrittenType, Writer> = {
  owner: ownerWriter,
  vendor: vendorWriter,
  property: propertyWriter,
  unit: unitWriter,
  tenant: tenantWriter,
  lease: leaseWriter,
  occupant: occupantWriter,
  recurring_charge: recurringChargeWriter,
  deposit: depositWriter,
  opening_balance: openingBalanceWriter,
  charge: chargeWriter,
  payment: paymentWriter,
  expense: expenseWriter,
  work_order: workOrderWriter,
};
