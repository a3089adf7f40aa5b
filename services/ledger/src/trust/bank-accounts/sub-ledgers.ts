/** Sub-ledgers of a bank account: to whom the money in it belongs. */
import type { bankAccounts } from "@freehold/contract/trust/bank-accounts";
import type { Output, QueryOf } from "@freehold/contract/operation";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { findSoleOwners } from "../../owners/sole-owners.ts";
import { getChart } from "../../chart/categories.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { selectBookBalance } from "./balances.ts";
import { getBankAccount } from "./bank-accounts.ts";
import { selectSubLedgers, type Beneficiary } from "./sub-ledgers.queries.ts";

type Operation = typeof bankAccounts.operations.listSubLedgers;
type SubLedger = Output<Operation>["subLedgers"][number];

const kinds: readonly SubLedger["kind"][] = ["owner", "deposit", "prepaid", "manager"];

/** Returns the sub-ledgers of a bank account at the end of a day. Throws 404 for an unknown bank account. */
export async function listSubLedgers(db: OrgDb, clients: Clients, id: string, query: QueryOf<Operation>): Promise<Output<Operation>> {
  const [account, { timezone }, chart] = await Promise.all([getBankAccount(db, id), getLedgerSettings(db), getChart(db)]);
  const asOf = query.asOf ?? today(timezone);
  const [rows, [book]] = await db.onSnapshot(selectSubLedgers(db, chart, account, asOf), selectBookBalance(db, account, asOf));
  const { bookCents } = book!;
  const propertyIds = rows.flatMap(({ kind, propertyId }) => (kind === "owner" && propertyId ? [propertyId] : []));
  const owners = account.ownerId ? new Map<string, string>() : await findSoleOwners(db, clients, propertyIds, asOf);
  const ownerOf = ({ kind, propertyId }: Beneficiary) => (kind === "owner" ? (account.ownerId ?? owners.get(propertyId!) ?? null) : null);
  const subLedgers = rows
    .toSorted((one, other) => kinds.indexOf(one.kind) - kinds.indexOf(other.kind) || (keyOf(one) < keyOf(other) ? -1 : 1))
    .map((row) => ({ ...row, ownerId: ownerOf(row) }));
  const totalCents = subLedgers.reduce((sum, { balanceCents }) => sum + balanceCents, 0);
  return { subLedgers, totalCents, bookCents, differenceCents: bookCents - totalCents } as Output<Operation>;
}

const keyOf = ({ propertyId, tenantId }: Beneficiary): string => `${propertyId} ${tenantId}`;
