/** Check register of a bank account. */
import type { Check, CheckRegister, checkRegister } from "@freehold/contract/trust/check-register";
import type { QueryOf } from "@freehold/contract/operation";
import { clampToSafeInteger } from "@freehold/domain/money";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { invalid } from "@freehold/kit/errors";
import { today } from "@freehold/kit/time/clock";
import type { Clients } from "../../clients.ts";
import { getLedgerSettings } from "../../settings/ledger-settings.ts";
import { getBankAccount } from "../bank-accounts/bank-accounts.ts";
import { selectCheckRegister, selectMissingNumbers, type CheckRow } from "./check-register.queries.ts";

type Query = Pick<QueryOf<typeof checkRegister.operations.getCheckRegister>, "from" | "to">;

const MAX_CHECKS = 5_000;

/** Returns the checks of a bank account in a period. Throws 404 for an unknown account, and a 400 for a reversed period and for too many checks. */
export async function getCheckRegister(db: OrgDb, clients: Clients, bankAccountId: string, query: Query): Promise<CheckRegister> {
  const [{ name }, { timezone }] = await Promise.all([getBankAccount(db, bankAccountId), getLedgerSettings(db)]);
  const to = query.to ?? today(timezone);
  const from = query.from ?? `${to.slice(0, 4)}-01-01`;
  if (to < from) throw invalid([{ path: "to", code: "before_start", message: "to cannot be before from." }]);
  const period = { bankAccountId, from, to };
  const [rows, missingNumbers] = [await db.all(selectCheckRegister(db, period, MAX_CHECKS + 1)), await db.all(selectMissingNumbers(db, period))];
  if (rows.length > MAX_CHECKS) throw invalid([{ path: "from", code: "max", message: `A register has at most ${MAX_CHECKS} checks. Choose a later date.` }]);
  const checks = await withOwnerNames(db, clients, rows);
  return { bankAccountId, bankAccountName: name, from, to, checks, missingNumbers, totals: totalsOf(checks) };
}

async function withOwnerNames(db: OrgDb, { portfolio }: Clients, rows: readonly CheckRow[]): Promise<Check[]> {
  const ids = [...new Set(rows.flatMap(({ ownerId }) => ownerId ?? []))];
  const { owners } = ids.length > 0 ? await portfolio.getOwners(db, { ids }) : { owners: [] };
  const names = new Map(owners.map(({ id, fullName }) => [id, fullName]));
  return rows.map(({ ownerId, ...check }) => (ownerId === null ? check : { ...check, payee: names.get(ownerId) ?? null }));
}

function totalsOf(checks: readonly Check[]): CheckRegister["totals"] {
  const sum = (...statuses: Check["status"][]) =>
    clampToSafeInteger(checks.reduce((total, { status, amountCents }) => (statuses.includes(status) ? total + BigInt(amountCents) : total), 0n));
  return {
    amountCents: sum("pending", "issued", "cleared"),
    clearedCents: sum("cleared"),
    outstandingCents: sum("pending", "issued"),
    voidedCents: sum("voided"),
  } as CheckRegister["totals"];
}
