/** Sub-ledgers of a bank account: to whom the money in it belongs. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { findOwnersOfMoney } from "../../owners/account-owners.ts";
import { selectOwnMovements } from "../../owners/ledgers/money-in-account.queries.ts";
import { divideByOwner } from "../../owners/ledgers/money-in-account.rules.ts";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { selectBookBalance } from "./balances.ts";
import { getBankAccount } from "./bank-accounts.ts";
import { selectSubLedgers, type Beneficiary } from "./sub-ledgers.queries.ts";
import { beneficiaryAt } from "./trust-funds.rules.ts";

type Operation = typeof bankAccounts.operations.listSubLedgers;
type SubLedger = Output<Operation>["subLedgers"][number];

const kinds: readonly SubLedger["kind"][] = ["owner", "deposit", "prepaid", "manager"];

/** Returns the sub-ledgers of a bank account at the end of a day. Throws 404 for an unknown bank account. */
export async function listSubLedgers(db: OrgDb, clients: Clients, id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const [account, { timezone }, chart] = await Promise.all([getBankAccount(db, id), getLedgerSettings(db), getChart(db)]);
  const asOf = query.asOf ?? today(timezone);
  const balances = selectSubLedgers(db, chart, account, asOf, { includesEmpty: true });
  const book = selectBookBalance(db, account, asOf);
  const first = await db.onSnapshot(balances, book);
  const propertyIds = first[0].flatMap(({ kind, propertyId }) => (kind === "owner" && propertyId ? [propertyId] : []));
  const owners = await findOwnersOfMoney(db, clients, account, propertyIds, asOf);
  const isShared = owners.shared.length > 0;
  const [all, [bookBalance], movements = []] = isShared
    ? await db.onSnapshot(balances, book, selectOwnMovements(db, chart, [account], owners.shared, { to: asOf }))
    : first;
  const rows = all.filter(({ balanceCents }) => balanceCents !== 0);
  const { bookCents } = bookBalance!;
  const subLedgers = divideByOwner(rows, owners, movements, ({ propertyId }) => ({ ...beneficiaryAt(propertyId), balanceCents: 0 })).toSorted(
    (one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || (keyOf(one) < keyOf(other) ? -1 : 1),
  );
  const totalCents = subLedgers.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
  return { subLedgers, totalCents, bookCents, differenceCents: bookCents - totalCents } as Output<Operation>;
}

const keyOf = ({ propertyId, tenantId, ownerId }: Beneficiary & { ownerId: string | null }): string => `${propertyId} ${tenantId} ${ownerId}`;
