/** Disposition of a security deposit as its letter states it. */
import type { DispositionStatement, SecurityDeposit as View } from "@freehold/contract/trust/security-deposit.schema";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { localDateOf, today } from "@freehold/kit/time/clock";
import type { Clients } from "../../../clients.ts";
import { getLedgerSettings } from "../../../settings/ledger-settings.ts";
import { getSecurityDeposit } from "../security-deposits.ts";
import { readDeadline } from "./deadline.queries.ts";
import { deadlineOfDeposit, remainingDays } from "./statutory-deadlines.ts";

/**
 * Returns the disposition of a security deposit: a draft as of now until it is finalized, and then the letter that was sent. Throws 404 for an
 * unknown deposit.
 */
export async function getSecurityDepositDisposition(db: OrgDb, { identity }: Clients, id: string): Promise<DispositionStatement> {
  const [deposit, { timezone }] = await Promise.all([getSecurityDeposit(db, id), getLedgerSettings(db)]);
  const letter = deposit.disposition && (await findLetter(db, id, deposit.disposition.sentAt));
  const statement = letter ?? (await readDisposition(db, (await identity.getOrganization(db, {})).name, deposit));
  const { dispositionDueOn } = statement;
  return { ...statement, remainingDays: dispositionDueOn === null ? null : remainingDays(dispositionDueOn, today(timezone)) };
}

/** Returns the stored letter of the disposition that was sent at a time; undefined for one that was finalized before letters were stored. */
async function findLetter(db: OrgDb, id: string, sentAt: string): Promise<DispositionStatement | undefined> {
  const row = await db.first(
    sql<{
      letter: DispositionStatement | null;
    }>`select disposition_letter as letter from security_deposit where organization_id = ${db.organizationId} and id = ${id}`,
  );
  return row?.letter?.sentAt === sentAt ? row.letter : undefined;
}

/** Returns the disposition of a security deposit from its amounts and the names as they are now. */
export async function readDisposition(db: StatementRunner, organizationName: string, deposit: View): Promise<DispositionStatement> {
  const { id, leaseId, tenantId, forwardingAddress, moveOutDate, dispositionDueOn, deductions, deductionsCents, disposition } = deposit;
  const { timezone } = await getLedgerSettings(db);
  const deadline = deadlineOfDeposit(await readDeadline(db, deposit), deposit);
  const names = await db.first(sql<{ tenantName: string; propertyName: string | null; unitNumber: string | null }>`
    select t.full_name as tenant_name, p.name as property_name, u.unit_number from tenant_copy t
      left join lease_copy l on l.organization_id = t.organization_id and l.id = ${leaseId}
      left join property_copy p on p.organization_id = l.organization_id and p.id = l.property_id
      left join unit_copy u on u.organization_id = l.organization_id and u.id = l.unit_id
    where t.organization_id = ${db.organizationId} and t.id = ${tenantId}`);
  const refundCents = deposit.refundPayableCents + deposit.refundedCents;
  return {
    securityDepositId: id,
    organizationName,
    tenantName: names?.tenantName ?? "",
    propertyName: names?.propertyName ?? "",
    unitNumber: names?.unitNumber ?? null,
    forwardingAddress,
    moveOutDate,
    dispositionDueOn,
    remainingDays: dispositionDueOn === null ? null : remainingDays(dispositionDueOn, today(timezone)),
    deadline,
    heldCents: disposition ? refundCents + deductionsCents : deposit.heldCents,
    deductions,
    deductionsCents,
    refundCents,
    isFinal: disposition !== null,
    sentAt: disposition?.sentAt ?? null,
    sentOn: disposition && localDateOf(disposition.sentAt, timezone),
  } as DispositionStatement;
}
