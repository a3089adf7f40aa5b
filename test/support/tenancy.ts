/** Active leases with their tenants, charges and payments for tests of the ledger. */
import { newId } from "@freehold/kit/db/entity";
import { randomUUID } from "node:crypto";
import pg from "pg";
import type { Office } from "./office.ts";
import { running } from "./running.ts";

export interface Tenancy {
  propertyId: string;
  unitId: string;
  tenantId: string;
  leaseId: string;
}

export interface TenancyTerms {
  rentCents?: number;
  rentChargeDay?: number;
  startDate?: string;
  endDate?: string;
  createRecurringRent?: boolean;
  /** Tenant of the lease. By default a new one. */
  tenantId?: string;
  coTenantId?: string;
}

/** Creates a property with one unit, a tenant and an active lease. Without terms the lease has no recurring rent. */
export async function aTenancy(office: Office, terms: TenancyTerms = {}): Promise<Tenancy> {
  const { property } = await office.call("createProperty", {
    body: { name: "Elm Street 1", streetLine1: "1 Elm Street", city: "Albany", state: "NY", postalCode: "12207", units: 1, occupiedUnits: 0 },
  });
  const { unit } = await office.call("createUnit", { body: { propertyId: property.id, unitNumber: "1", monthlyRentCents: terms.rentCents ?? 100_000 } });
  const tenantId = terms.tenantId ?? (await office.call("createTenant", { body: { fullName: "Tess Tenant" } })).tenant.id;
  const { coTenantId } = terms;
  const { startDate = "2026-01-01", endDate = "2099-12-31", rentCents = 100_000, rentChargeDay = 1, createRecurringRent = false } = terms;
  const { lease } = await office.call("createLease", {
    body: {
      propertyId: property.id,
      unitId: unit.id,
      tenantId,
      ...(coTenantId && { occupants: [{ tenantId: coTenantId, role: "co_tenant" as const }] }),
      startDate,
      endDate,
      termType: "fixed",
      rentCents,
      rentChargeDay,
      createRecurringRent,
      activate: true,
    },
  });
  return { propertyId: property.id, unitId: unit.id, tenantId, leaseId: lease.id };
}

/** Creates a rent charge on a lease, overdue by default, and returns its id. */
export async function aCharge(office: Office, leaseId: string, amountCents: number, dueDate = "2026-01-01"): Promise<string> {
  const { charge } = await office.call("createCharge", { body: { leaseId, amountCents, dueDate, chargeType: "rent" } });
  return charge.id;
}

/** Returns the body of a payment with a fresh idempotency key. */
export const aPayment = ({ tenantId, leaseId }: Pick<Tenancy, "tenantId" | "leaseId">, amountCents: number) => ({
  tenantId,
  leaseId,
  amountCents,
  paymentMethod: "ach" as const,
  receivedAt: "2026-01-05T15:00:00.000Z",
  idempotencyKey: randomUUID(),
});

/** Returns the closing balances of the trial balance by account code. Throws if the trial balance is not balanced. */
export async function closingBalances(office: Office): Promise<Record<string, number>> {
  const { trialBalance } = await office.call("getTrialBalance", { query: { asOf: "2199-12-31" } });
  if (!trialBalance.isBalanced) throw new Error(`The trial balance is not balanced: ${JSON.stringify(trialBalance)}`);
  return Object.fromEntries(trialBalance.rows.map(({ accountCode, closingCents }) => [accountCode, closingCents]));
}

/** Throws if the trial balance is not balanced. */
export const requireBalancedTrialBalance = async (office: Office): Promise<void> => void (await closingBalances(office));

interface ControlEntry {
  debit: string;
  credit: string;
  amountCents: number;
  /** Day of the entry, `YYYY-MM-DD`. */
  date: string;
  propertyId?: string;
  ownerId?: string;
}

/**
 * Inserts a posted entry on control accounts into the ledger's database and returns its id. The API does not offer this: it posts
 * to control accounts only through charges, payments and other documents. Debit and credit are account codes.
 */
export async function postControlEntry({ organizationId }: Office, { debit, credit, amountCents, date, propertyId, ownerId }: ControlEntry): Promise<string> {
  const client = new pg.Client({ connectionString: running().databaseUrls.ledger.owner });
  await client.connect();
  try {
    const id = newId();
    await client.query("begin");
    await client.query("select set_config('app.organization_id', $1, true)", [organizationId]);
    await client.query(
      `insert into journal_entry (organization_id, id, created_at, updated_at, memo, occurred_at, entry_date, status, source, debit_total_cents, credit_total_cents)
        values ($1, $2, now(), now(), 'Control entry', $3::date + interval '15 hours', $3, 'posted', 'manual', $4, $4)`,
      [organizationId, id, date, amountCents],
    );
    await client.query(
      `insert into journal_line (organization_id, id, entry_id, account_id, cash_account_id, entry_date, debit_cents, credit_cents, property_id, owner_id)
        select $1, gen_random_uuid(), $2, c.id, c.id, $3, line.debit_cents, line.credit_cents, $7, $8
        from (values ($4, $6::bigint, 0), ($5, 0, $6::bigint)) as line (code, debit_cents, credit_cents)
          join category c on c.organization_id = $1 and c.code = line.code`,
      [organizationId, id, date, debit, credit, amountCents, propertyId ?? null, ownerId ?? null],
    );
    await client.query("commit");
    return id;
  } finally {
    await client.end();
  }
}
