/** Security deposits: create, read, list and change. */
import type { SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { securityDeposits } from "@freehold/contract/trust/security-deposits";
import type { BodyOf, QueryOf } from "@freehold/contract/operation";
import { listConditions, listPage } from "@freehold/kit/db/list";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { sql } from "@freehold/kit/db/statement";
import { transaction } from "@freehold/kit/db/transaction";
import { conflict, invalid, notFound, unknownReference } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { now, today } from "@freehold/kit/time/clock";
import { getChart, type Chart } from "../../chart/categories.ts";
import type { Clients } from "../../clients.ts";
import { lockLeases } from "../../projections/lock-leases.ts";
import { findProjectedLeases, type ProjectedLease } from "../../projections/projections.ts";
import { leasesOfTenancies } from "../../projections/tenancy.queries.ts";
import { postCharges } from "../../receivables/charges/post-charges.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { requireMoneyAccount } from "../bank-accounts/bank-account-references.ts";
import { attachDepositCharges, insertDeposit, readTenancies } from "./attach-deposit-charges.ts";
import { requireTrustAccount } from "./deposit-place.ts";
import { readDispositionDueOn } from "./disposition/deadline.queries.ts";
import { followMoveOuts } from "./disposition/move-out.ts";
import { lockSecurityDeposit } from "./lock-security-deposit.ts";
import { requireOpenDeposit } from "./security-deposit.rules.ts";
import { publishDepositEvent } from "./security-deposit-events.ts";
import { securityDepositColumns, securityDepositRows, securityDepositView, type SecurityDepositRow } from "./security-deposit.view.ts";

type Operations = typeof securityDeposits.operations;
interface Result {
  securityDeposit: View;
}

/** Returns a security deposit. Throws 404 for an unknown id. */
export async function getSecurityDeposit(db: StatementRunner, id: string): Promise<View> {
  const { timezone } = await getLedgerSettings(db);
  const row = await db.first(sql<SecurityDepositRow>`select ${securityDepositColumns} from ${securityDepositRows(db, today(timezone), sql`s.id = ${id}`)}`);
  if (!row) throw notFound("Security deposit");
  return securityDepositView(row);
}

/** Returns a page of security deposits. */
export async function listSecurityDeposits(db: OrgDb, query: QueryOf<Operations["listSecurityDeposits"]>) {
  const { leaseId, tenantId, propertyId, status, dueBefore } = query;
  const { timezone } = await getLedgerSettings(db);
  const { rows, paging } = await listPage<SecurityDepositRow>(db, query, {
    table: "d",
    select: securityDepositColumns,
    from: securityDepositRows(db, today(timezone)),
    sorts: { createdAt: sql`d.created_at`, dispositionDueOn: sql`d.disposition_due_on`, requiredCents: sql`d.required_cents` },
    nullable: ["dispositionDueOn"],
    where: [
      sql`d.organization_id = ${db.organizationId}`,
      query.updatedAfter !== undefined && sql`d.changed_at > ${query.updatedAfter}`,
      ...listConditions(db, "d", { ...query, updatedAfter: undefined }, false),
      leaseId !== undefined && sql`d.lease_id = any(${leasesOfTenancies(db, [leaseId])})`,
      tenantId !== undefined && sql`d.tenant_id = ${tenantId}`,
      propertyId !== undefined && sql`d.property_id = ${propertyId}`,
      status && sql`d.status = any(${status})`,
      dueBefore !== undefined && sql`d.disposition_due_on <= ${dueBefore}`,
    ],
  });
  return { securityDeposits: rows.map(securityDepositView), ...paging };
}

/**
 * Creates the security deposit of a tenancy and, if requested, charges it today. Throws a 400 for an unknown lease or bank account, and a
 * 409 when the tenancy has an open deposit.
 */
export async function createSecurityDeposit(db: OrgDb, clients: Clients, body: BodyOf<Operations["createSecurityDeposit"]>): Promise<Result> {
  const { leaseId, chargeTenant, ...terms } = body;
  const lease = (await findProjectedLeases(db, clients.portfolio, [leaseId])).get(leaseId);
  if (!lease) throw unknownReference("leaseId", "lease");
  if (lease.isTenantDeleted) throw invalid([{ path: "leaseId", code: "not_found", message: "The tenant of this lease was deleted. Name another lease." }]);
  return transaction(db, async (tx) => {
    const settings = await getLedgerSettings(tx);
    const id = await insertSecurityDeposit(tx, lease, terms);
    if (chargeTenant) await postCharges(tx, settings, await getChart(tx), [depositCharge(lease, terms.requiredCents, today(settings.timezone))]);
    return { securityDeposit: await getSecurityDeposit(tx, id) };
  });
}

type DepositTerms = Pick<BodyOf<Operations["createSecurityDeposit"]>, "requiredCents" | "holder" | "bankAccountId">;

/**
 * Inserts the security deposit of the tenancy of a lease, whose leases it locks, and returns its id. Throws a 400 for an unknown bank account,
 * and a 409 when the tenancy has an open deposit.
 */
export async function insertSecurityDeposit(tx: OrgTx, lease: ProjectedLease, { requiredCents, holder, ...terms }: DepositTerms): Promise<string> {
  await lockTenancy(tx, lease.id);
  await attachDepositCharges(tx, [lease.id]);
  const [tenancy] = await readTenancies(tx, [lease.id]);
  const existing = await tx.first(
    sql<{ id: string }>`select id from security_deposit where organization_id = ${tx.organizationId} and tenancy_id = ${tenancy!.tenancyId} and is_open`,
  );
  const bankAccountId = terms.bankAccountId ? await findTrustAccount(tx, await getChart(tx), terms.bankAccountId) : null;
  if (existing) throw conflict(`The tenancy has the open security deposit ${existing.id}. Change that one instead.`, "duplicate");
  if (holder === "owner" && bankAccountId)
    throw invalid([
      { path: "bankAccountId", code: "not_allowed", message: "The owner holds the deposit, so it is in no bank account. Leave bankAccountId out." },
    ]);
  const { tenantId, propertyId, unitId } = lease;
  return (await insertDeposit(tx, { ...tenancy!, tenantId, propertyId, unitId, bankAccountId, holder, requiredCents }))!;
}

/** Returns the charge of a security deposit. */
export const depositCharge = (lease: ProjectedLease, amountCents: number, dueDate: string) => ({
  lease,
  amountCents,
  dueDate,
  chargeType: "deposit" as const,
  name: "Security deposit",
});

/** Locks the leases of a tenancy until the commit, so that operations on its deposits follow each other. */
async function lockTenancy(tx: OrgTx, leaseId: string): Promise<void> {
  const rows = await tx.all(sql<{ id: string }>`select unnest(${leasesOfTenancies(tx, [leaseId])}) as id`);
  await lockLeases(tx, [leaseId, ...rows.map(({ id }) => id)]);
}

async function findTrustAccount(tx: OrgTx, chart: Chart, id: string): Promise<string | null> {
  const place = await requireMoneyAccount(tx, chart, id, "bankAccountId");
  requireTrustAccount(chart, place);
  return place.bankAccountId;
}

/** Changes the terms of a security deposit. Throws a 409 for a change of more than the address after the disposition was finalized. */
export const updateSecurityDeposit = (db: OrgDb, id: string, body: BodyOf<Operations["updateSecurityDeposit"]>): Promise<Result> =>
  transaction(db, async (tx) => {
    const deposit = await lockSecurityDeposit(tx, id);
    const { forwardingAddress, bankAccountId: requestedId, ...terms } = body;
    const bankAccountId = requestedId ? await findTrustAccount(tx, await getChart(tx), requestedId) : requestedId;
    if (Object.keys(terms).length > 0 || requestedId !== undefined) requireOpenDeposit((await getSecurityDeposit(tx, id)).status);
    const { moveOutDate } = terms;
    const computed = moveOutDate === undefined ? undefined : moveOutDate && (await readDispositionDueOn(tx, deposit, moveOutDate));
    tx.assign(
      deposit,
      omitUndefined({
        ...terms,
        isMoveOutByOffice: moveOutDate === undefined ? undefined : moveOutDate !== null,
        dispositionDueOn: terms.dispositionDueOn === undefined ? computed : terms.dispositionDueOn,
        bankAccountId,
        forwardingAddress,
      }) as never,
    );
    tx.assign(deposit, { updatedAt: now() });
    await tx.flush();
    await publishDepositEvent(tx, "security_deposit.updated", deposit);
    if (moveOutDate === null) await followMoveOuts(tx, [deposit.leaseId]);
    return { securityDeposit: await getSecurityDeposit(tx, id) };
  });
