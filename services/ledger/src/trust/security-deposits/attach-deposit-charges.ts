/** Deposit charges of tenancies, attached to the security deposit that they are for. */
import { clampSumToSafeInteger } from "@freehold/domain/money";
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { invalid } from "@freehold/kit/errors";
import { latestTakeover, leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { followMoveOuts } from "./disposition/move-out.ts";
import { publishDepositEvent } from "./security-deposit-events.ts";
import type { SecurityDeposit } from "./security-deposit.entity.ts";

interface NewDeposit extends Pick<SecurityDeposit, "tenancyId" | "leaseId" | "tenantId" | "propertyId" | "unitId" | "holder"> {
  bankAccountId: string | null;
  requiredCents: number;
}

/** Returns the tenancy of each lease, with the lease that holds its deposit. */
export const readTenancies = (tx: OrgTx, leaseIds: readonly string[]): Promise<{ tenancyId: string; leaseId: string }[]> =>
  tx.all(sql<{ tenancyId: string; leaseId: string }>`select l.tenancy_id, coalesce(${latestTakeover(tx, sql`l.id`)}, l.id) as lease_id from lease_copy l
    where l.organization_id = ${tx.organizationId} and l.id = any(${[...leaseIds]}::uuid[])`);

/** Inserts the open security deposit of a tenancy and publishes its creation. Returns its id, or undefined when the tenancy has an open one. */
export async function insertDeposit(
  tx: OrgTx,
  { tenancyId, leaseId, tenantId, propertyId, unitId, bankAccountId, holder, requiredCents }: NewDeposit,
): Promise<string | undefined> {
  const id = newId();
  const [inserted] =
    await tx.all(sql`insert into security_deposit (organization_id, id, created_at, updated_at, tenancy_id, lease_id, tenant_id, property_id, unit_id, bank_account_id, holder, required_cents)
    values (${tx.organizationId}, ${id}, now(), now(), ${tenancyId}, ${leaseId}, ${tenantId}, ${propertyId}, ${unitId}, ${bankAccountId}, ${holder}, ${requiredCents})
    on conflict (organization_id, tenancy_id) where is_open do nothing returning id`);
  if (!inserted) return undefined;
  await publishDepositEvent(tx, "security_deposit.created", { id, leaseId, tenantId, propertyId, unitId });
  await followMoveOuts(tx, [leaseId]);
  return id;
}

/** Sum of the charges of the security deposit `d` that are not voided, less their credits. */
const sumOfCharges = sql`(select sum(c.amount_cents - c.credited_cents) from security_deposit_charge x join charge c on c.organization_id = x.organization_id and c.id = x.id
  where x.organization_id = d.organization_id and x.security_deposit_id = d.id and c.status <> 'voided')`;
const chargedCents = clampSumToSafeInteger(sumOfCharges);

/**
 * Attaches the deposit charges of the tenancies of leases that belong to no security deposit yet to the open deposit of the tenancy, which
 * is created where there is none. The required amount is at least the sum of the charges. Tenancies are locked in the order of their ids.
 */
export async function attachDepositCharges(tx: OrgTx, leaseIds: readonly string[]): Promise<void> {
  if (leaseIds.length === 0) return;
  const charges = await tx.all(sql<Omit<NewDeposit, "bankAccountId" | "holder" | "requiredCents"> & { id: string; amountCents: number }>`
    select c.id, l.tenancy_id, coalesce(c.deposit_lease_id, c.lease_id) as lease_id, c.tenant_id, c.property_id, c.unit_id, c.amount_cents
    from charge c join lease_copy l on l.organization_id = c.organization_id and l.id = c.lease_id
    where c.organization_id = ${tx.organizationId} and c.charge_type = 'deposit' and c.status <> 'voided' and c.lease_id = any(${leasesOfTenancies(tx, leaseIds)})
      and not exists (select from security_deposit_charge x where x.organization_id = c.organization_id and x.id = c.id) order by l.tenancy_id, c.id`);
  for (const [tenancyId, group] of Map.groupBy(charges, (charge) => charge.tenancyId)) {
    const { id: _, amountCents: _cents, ...terms } = group.at(-1)!;
    const requiredCents = Math.min(
      group.reduce((sum, { amountCents }) => sum + amountCents, 0),
      Number.MAX_SAFE_INTEGER,
    );
    await insertDeposit(tx, { ...terms, bankAccountId: null, holder: "organization", requiredCents });
    await tx.all(sql`insert into security_deposit_charge (organization_id, id, created_at, updated_at, security_deposit_id)
      select d.organization_id, charge_id, now(), now(), d.id from security_deposit d cross join unnest(${group.map(({ id }) => id)}::uuid[]) as input (charge_id)
      where d.organization_id = ${tx.organizationId} and d.tenancy_id = ${tenancyId} and d.is_open on conflict do nothing`);
    await tx.all(sql`update security_deposit d set required_cents = ${chargedCents}, updated_at = now(), version = d.version + 1
      where d.organization_id = ${tx.organizationId} and d.tenancy_id = ${tenancyId} and d.is_open and d.required_cents < ${chargedCents}`);
  }
}

/** Attaches posted deposit charges like `attachDepositCharges`. Throws a 400 when those of an open deposit add up to more than an amount can be. */
export async function attachPostedDepositCharges(tx: OrgTx, leaseIds: readonly string[]): Promise<void> {
  if (leaseIds.length === 0) return;
  await attachDepositCharges(tx, leaseIds);
  const tooLarge =
    await tx.first(sql`select 1 as found from security_deposit d join lease_copy l on l.organization_id = d.organization_id and l.tenancy_id = d.tenancy_id
    where d.organization_id = ${tx.organizationId} and d.is_open and l.id = any(${[...leaseIds]}::uuid[]) and ${sumOfCharges} > ${Number.MAX_SAFE_INTEGER}::bigint`);
  if (!tooLarge) return;
  const message = `The deposit charges of the tenancy would add up to more than ${Number.MAX_SAFE_INTEGER} cents. Lower the amount.`;
  throw invalid([{ path: "amountCents", code: "max", message }]);
}
