/** Organization policy for payments to vendors with expired liability insurance: off, warn or block. */
import type { OrgDb } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { localDateOf } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { checkInsurances, type InsuranceCheck, type PaidVendor } from "./vendor-insurance.rules.ts";

interface PaidRequest {
  vendorId: string | null;
  allocations: readonly { expenseId: string }[];
  paidAt: Date;
}

/**
 * Checks the vendors who are paid, before a transaction begins: the one of the payment and those of the settled expenses. Returns the
 * consequence, which the transaction applies, so that a repeated request is answered as before.
 */
export async function checkPaidVendors(db: OrgDb, clients: Clients, { vendorId, allocations, paidAt }: PaidRequest): Promise<InsuranceCheck> {
  const [{ policies, timezone }, vendorIdOf] = await Promise.all([getLedgerSettings(db), findVendorsOfExpenses(db, allocations)]);
  if (policies.vendorInsurance === "off") return { warnings: [] };
  const named = [
    ...(vendorId === null ? [] : [{ id: vendorId, path: "vendorId" }]),
    ...allocations.flatMap(({ expenseId }, index) => {
      const id = vendorIdOf.get(expenseId);
      return id === undefined || id === vendorId ? [] : [{ id, path: `allocations.${index}.expenseId` }];
    }),
  ];
  const ids = [...new Set(named.map(({ id }) => id))];
  const { vendors } = ids.length > 0 ? await clients.portfolio.getVendors(db, { ids }) : { vendors: [] };
  const byId = new Map(vendors.map((vendor) => [vendor.id, vendor]));
  const paid = named.flatMap(({ id, path }): PaidVendor[] => {
    const vendor = byId.get(id);
    return vendor ? [{ path, vendor }] : [];
  });
  return checkInsurances(policies.vendorInsurance, paid, localDateOf(paidAt, timezone));
}

async function findVendorsOfExpenses(db: OrgDb, allocations: readonly { expenseId: string }[]): Promise<Map<string, string>> {
  if (allocations.length === 0) return new Map();
  const rows = await db.all(sql<{ id: string; vendorId: string }>`select id, vendor_id from expense
    where organization_id = ${db.organizationId} and id = any(${allocations.map(({ expenseId }) => expenseId)}::uuid[]) and vendor_id is not null`);
  return new Map(rows.map((row) => [row.id, row.vendorId]));
}
