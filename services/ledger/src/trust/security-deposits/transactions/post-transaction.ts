/** Entry and row of a transaction of a security deposit. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { startOfDay } from "@freehold/kit/time/clock";
import type { EntryLine } from "../../../journal/journal.rules.ts";
import { postEntries } from "../../../journal/posting.ts";
import { SecurityDepositTransaction, type SecurityDeposit } from "../security-deposit.entity.ts";

type Kind = SecurityDepositTransaction["kind"];

/** Posts an entry of a security deposit on a day and returns its id. */
export async function postDepositEntry(
  tx: OrgTx,
  timezone: string,
  deposit: SecurityDeposit,
  { memo, date, occurredAt = startOfDay(date, timezone), lines }: { memo: string; date: string; occurredAt?: Date; lines: readonly EntryLine[] },
): Promise<string> {
  const id = newId();
  const document = { type: "security_deposit", id: deposit.id } as const;
  await postEntries(tx, timezone, [{ id, memo, occurredAt, entryDate: date, source: "security_deposit", document, lines }]);
  return id;
}

/** Adds a transaction to a security deposit. */
export const addTransaction = (
  tx: OrgTx,
  deposit: Pick<SecurityDeposit, "id">,
  kind: Kind,
  {
    amountCents,
    ...details
  }: { amountCents: number; occurredOn: string } & Partial<
    Pick<
      SecurityDepositTransaction,
      "chargeId" | "ownerId" | "counterpartId" | "method" | "bankAccountId" | "accountId" | "referenceNumber" | "payees" | "entryId" | "creditIds"
    >
  >,
): SecurityDepositTransaction =>
  tx.create(SecurityDepositTransaction, {
    id: newId(),
    securityDepositId: deposit.id,
    kind,
    amountCents: amountCents as SecurityDepositTransaction["amountCents"],
    chargeId: null,
    ownerId: null,
    counterpartId: null,
    method: null,
    bankAccountId: null,
    accountId: null,
    referenceNumber: null,
    payees: [],
    entryId: null,
    creditIds: [],
    voidedAt: null,
    voidReason: null,
    ...details,
  });
