/** Expenses of the properties for the fees of a run, less fees that are owed to them. */
import { newId } from "@freehold/kit/db/entity";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { eventPublisher } from "@freehold/kit/db/outbox";
import { sql } from "@freehold/kit/db/statement";
import { now, startOfDay } from "@freehold/kit/time/clock";
import { maxDate } from "@freehold/kit/time/plain-date";
import type { Chart } from "../../../chart/categories.ts";
import { postEntries } from "../../../journal/posting.ts";
import type { Expense } from "../../expenses/expense.entity.ts";
import { expenseEntry } from "../../expenses/post-expense.ts";
import { expenseKey, groupByExpense, type FeeLine } from "../calculation/fee-lines.rules.ts";
import type { Period } from "../calculation/segments.rules.ts";
import { offsetLines, type PropertyFee } from "./fee-posting.rules.ts";

const publish = eventPublisher("ledger");

/** Fee that is owed to a property since its payment was reversed after the fee had been paid out. */
interface OwedReturn {
  id: string;
  propertyId: string;
  amountCents: number;
  /** Day of the entry by which it is owed. */
  owedOn: string;
  /** Day whose owners have borne the fee. */
  ownedOn: string;
}

/** Amount of an owed fee that a new fee offsets. */
interface OffsetPart {
  returnId: string;
  amountCents: number;
  /** False for a part of what is owed. */
  isWhole: boolean;
}

/** Owed fees that a new fee offsets, with their sum and the latest of their days. */
interface Offset {
  parts: OffsetPart[];
  amountCents: number;
  owedOn: string;
}

/** Expense of a property for the fees of a run. */
export interface FeeExpense extends Pick<Expense, "id" | "propertyId" | "categoryId" | "amountCents" | "incurredOn"> {
  ownedOn: string | null;
  vendorId: null;
}

/** Expenses of a run, and the owed fees that they offset. */
export interface PostedFees {
  expenses: FeeExpense[];
  offsets: (Offset & PropertyFee)[];
}

interface Context {
  timezone: string;
  chart: Chart;
  incurredOn: string;
  period: Period;
  ownershipChanges: ReadonlyMap<string, readonly string[]>;
}

/**
 * Records an expense for the fees of each property, account and owners, on the given day. A fee that is owed to the same owners makes it lower; a fee
 * that it offsets as a whole is in no expense.
 */
export async function postFees(tx: OrgTx, lines: readonly FeeLine[], context: Context): Promise<PostedFees> {
  const owed = await readOwedReturns(tx, [...new Set(lines.map(({ propertyId }) => propertyId))]);
  const due = groupByExpense(lines)
    .filter(({ totalCents }) => totalCents > 0)
    .map(({ totalCents, ...fee }) => {
      const { propertyId, ownedOn } = fee;
      const changes = context.ownershipChanges.get(propertyId) ?? [];
      const isOfOwners = (day: string) => ownershipIndex(changes, day) === ownershipIndex(changes, ownedOn ?? context.incurredOn);
      return { ...fee, offset: takeOwed(owed.get(propertyId) ?? [], { totalCents, ownedOn, incurredOn: context.incurredOn }, isOfOwners), totalCents };
    });
  const charged = due
    .map(({ totalCents, offset, ...fee }) => ({ ...fee, amountCents: totalCents - offset.amountCents }))
    .filter(({ amountCents }) => amountCents > 0);
  const expenses = await recordFeeExpenses(tx, charged, context);
  const expenseIds = new Map(expenses.map((expense) => [expenseKey(expense), expense.id]));
  const offsets = due.map(({ propertyId, categoryId, ownedOn, offset }) => ({
    propertyId,
    categoryId,
    expenseId: expenseIds.get(expenseKey({ propertyId, categoryId, ownedOn })),
    ...offset,
  }));
  return { expenses, offsets: offsets.filter(({ parts }) => parts.length > 0) };
}

async function readOwedReturns(tx: OrgTx, propertyIds: readonly string[]): Promise<Map<string, OwedReturn[]>> {
  const rows =
    await tx.all(sql<OwedReturn>`select t.id, t.property_id, t.amount_cents, e.entry_date as owed_on, coalesce(x.owned_on, x.incurred_on, e.entry_date) as owned_on from management_fee_return t
      left join expense x on x.organization_id = t.organization_id and x.id = t.expense_id
      join journal_entry e on e.organization_id = t.organization_id and e.id = t.entry_id
      join management_fee_run r on r.organization_id = t.organization_id and r.id = t.run_id and r.status = 'completed'
    where t.organization_id = ${tx.organizationId} and t.property_id = any(${[...propertyIds]}::uuid[]) and t.effect = 'owed' and t.offset_by_run_id is null order by t.id`);
  return Map.groupBy(rows, ({ propertyId }) => propertyId);
}

interface NewFee {
  totalCents: number;
  ownedOn: string | null;
  incurredOn: string;
}

/**
 * Takes fees that are owed to the same owners off the list, oldest first, up to the new fee. A cent is left of a fee that other owners would bear on the
 * day of the offset, because only its expense names the owners.
 */
function takeOwed(owed: OwedReturn[], { totalCents, ownedOn, incurredOn }: NewFee, isOfOwners: (day: string) => boolean): Offset {
  const taken: Offset = { parts: [], amountCents: 0, owedOn: "" };
  for (const each of owed.filter((fee) => isOfOwners(fee.ownedOn))) {
    const owedOn = maxDate(taken.owedOn, each.owedOn);
    const mayTakeAll = ownedOn === null && isOfOwners(maxDate(incurredOn, owedOn));
    const amountCents = Math.min(each.amountCents, totalCents - taken.amountCents - (mayTakeAll ? 0 : 1));
    if (amountCents <= 0) break;
    taken.parts.push({ returnId: each.id, amountCents, isWhole: amountCents === each.amountCents });
    taken.amountCents += amountCents;
    taken.owedOn = owedOn;
    each.amountCents -= amountCents;
    if (each.amountCents === 0) owed.splice(owed.indexOf(each), 1);
  }
  return taken;
}

const ownershipIndex = (changes: readonly string[], day: string): number => changes.filter((change) => change <= day).length;

async function recordFeeExpenses(
  tx: OrgTx,
  fees: readonly (PropertyFee & Pick<FeeLine, "ownedOn">)[],
  { timezone, chart, incurredOn, period }: Context,
): Promise<FeeExpense[]> {
  const name = `Management fees ${period.periodStart} to ${period.periodEnd}`;
  const expenses = fees.map((fee): FeeExpense => ({ id: newId(), vendorId: null, ...fee, amountCents: fee.amountCents as Expense["amountCents"], incurredOn }));
  const entries = expenses.map((expense) => expenseEntry(timezone, chart, { ...expense, name, category: "management" }));
  await postEntries(tx, timezone, entries);
  const column = <K extends keyof FeeExpense>(key: K) => expenses.map((expense) => expense[key] ?? null);
  const entryIds = entries.map(({ id }) => id);
  const approvalStatus = "not_required";
  await tx.all(sql`insert into expense (organization_id, id, created_at, updated_at, name, category, category_id, amount_cents, outstanding_cents, incurred_on, owned_on, property_id, status, approval_status, entry_id)
    select ${tx.organizationId}, id, ${now()}, ${now()}, ${name}, 'management', category_id, amount_cents, amount_cents, ${incurredOn}::date, owned_on, property_id, 'active', ${approvalStatus}, entry_id
    from unnest(${column("id")}::uuid[], ${column("categoryId")}::uuid[], ${column("amountCents")}::bigint[], ${column("ownedOn")}::date[], ${column("propertyId")}::uuid[], ${entryIds}::uuid[])
      as fee (id, category_id, amount_cents, owned_on, property_id, entry_id)`);
  await publish(
    tx,
    "expense.created",
    ...expenses.map(({ id, propertyId }) => ({ entityId: id, data: { propertyId, vendorId: null, approvalStatus } }) as const),
  );
  return expenses;
}

/** Posts the parts of the fees of a saved run that offset owed fees, on the day of the expenses or, if later, on that from which they are owed. */
export async function postOffsets(tx: OrgTx, { timezone, chart, incurredOn }: Context, runId: string, { offsets }: PostedFees): Promise<void> {
  for (const { parts, owedOn, ...terms } of offsets) {
    const entryDate = maxDate(incurredOn, owedOn);
    await postEntries(tx, timezone, [
      {
        id: newId(),
        memo: "Management fee offset by a fee that was taken back",
        occurredAt: startOfDay(entryDate, timezone),
        entryDate,
        source: "management_fee",
        document: { type: "management_fee_run", id: runId },
        lines: offsetLines(chart, terms),
      },
    ]);
    const wholeIds = parts.flatMap(({ returnId, isWhole }) => (isWhole ? [returnId] : []));
    await tx.all(sql`update management_fee_return set offset_by_run_id = ${runId}, version = version + 1, updated_at = now()
      where organization_id = ${tx.organizationId} and id = any(${wholeIds}::uuid[])`);
    for (const part of parts) if (!part.isWhole) await splitReturn(tx, runId, part);
  }
}

/** Divides an owed fee into the part that a run offsets and the rest, which stays owed. */
const splitReturn = (tx: OrgTx, runId: string, { returnId, amountCents }: OffsetPart): Promise<unknown[]> =>
  tx.all(sql`with rest as (update management_fee_return set amount_cents = amount_cents - ${amountCents}, version = version + 1, updated_at = now()
      where organization_id = ${tx.organizationId} and id = ${returnId} returning *)
    insert into management_fee_return (organization_id, id, created_at, updated_at, run_id, expense_id, property_id, payment_id, amount_cents, effect, entry_id, offset_by_run_id)
    select organization_id, ${newId()}, now(), now(), run_id, expense_id, property_id, payment_id, ${amountCents}, effect, entry_id, ${runId} from rest`);
