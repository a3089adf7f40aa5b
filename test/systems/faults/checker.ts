/** Checks a history of operations against the ledger's database, read without row-level security. */
import type pg from "pg";
import type { OperationResult } from "./history.ts";
import type { Kind, Operation } from "./operations.ts";

export interface Verdict {
  operations: number;
  acknowledged: number;
  ambiguous: number;
  refused: number;
  /** Acknowledged operations without a row of the acknowledged id. */
  lost: string[];
  /** Keys of operations that were applied more than once. */
  doubled: string[];
  /** Keys of rows whose operation was refused or never sent. */
  unexpected: string[];
  /** Rows that violate an integrity rule, such as those of partially applied operations, with the rule. */
  partial: string[];
  /** Debits minus credits of all journal lines in cents. */
  trialBalance: number;
}

/** Queries for the rows that applied operations inserted: the operation's key and the row's id. */
const appliedRowQueries: Record<Exclude<Kind, "allocation">, string> = {
  payment: "select idempotency_key as key, id from payment",
  charge: "select memo as key, id from charge where memo is not null",
  entry: "select memo as key, id from journal_entry where source = 'manual'",
  entryReversal: `select e.memo as key, e.id from journal_entry e join journal_entry original on original.organization_id = e.organization_id and original.id = e.reverses_id
    where original.source = 'manual'`,
  paymentReversal: "select memo as key, id from payment_reversal",
};
/** Allocations made after their payment was recorded. They have no key, but each payment gets at most one. */
const laterAllocations = `select a.payment_id as id, a.entry_id from payment_allocation a join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
  where a.entry_id <> p.entry_id and a.released_at is null`;

const sum = (expression: string, from: string) => `coalesce((select sum(${expression}) from ${from}), 0)`;

/** Queries for violations of integrity rules, by rule. */
const integrityRules: Record<string, string> = {
  "a payment's entry has its amount": `select p.id from payment p
    where ${sum("debit_cents", "journal_line l where l.organization_id = p.organization_id and l.entry_id = p.entry_id")} <> p.amount_cents`,
  "a payment's amount is its allocations plus its unallocated amount": `select p.id from payment p where p.status = 'received'
    and ${sum("a.amount_cents", "payment_allocation a where a.organization_id = p.organization_id and a.payment_id = p.id and a.released_at is null")} + p.unallocated_cents + p.refunded_cents <> p.amount_cents`,
  "a reversed payment has a reversal and no live allocation": `select p.id from payment p where (p.status = 'reversed')
      <> exists (select from payment_reversal r where r.organization_id = p.organization_id and r.payment_id = p.id)
    or (p.status = 'reversed' and exists (select from payment_allocation a where a.organization_id = p.organization_id and a.payment_id = p.id and a.released_at is null))`,
  "a charge is settled by its allocations": `select c.id from charge c
    where ${sum("a.amount_cents", "payment_allocation a where a.organization_id = c.organization_id and a.charge_id = c.id and a.released_at is null")} <> c.allocated_cents`,
  "a charge's entry has its amount": `select c.id from charge c
    where ${sum("debit_cents", "journal_line l where l.organization_id = c.organization_id and l.entry_id = c.entry_id")} <> c.amount_cents`,
  "a posted entry has lines that balance": `select e.id from journal_entry e
    left join (select organization_id, entry_id, count(*) as lines, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1, 2) l
      on l.organization_id = e.organization_id and l.entry_id = e.id
    where e.status <> 'draft' and (l.lines is null or l.lines < 2 or l.debit <> l.credit or l.debit <> e.debit_total_cents)`,
  "a reversed entry has its reversal": `select e.id from journal_entry e left join journal_entry r on r.organization_id = e.organization_id and r.id = e.reversed_by_id
    where (e.status = 'reversed') <> (r.id is not null) or (r.id is not null and r.reverses_id is distinct from e.id)`,
  "a payment has its event in the outbox": `select id::text from payment except select envelope ->> 'entityId' from outbox where envelope ->> 'type' = 'payment.received'`,
};

/** Returns the ids of the inserted rows by operation key. */
async function appliedOperations(client: pg.ClientBase, results: ReadonlyMap<string, OperationResult>): Promise<Map<string, string[]>> {
  const applied = new Map<string, string[]>();
  const add = (key: string, id: string) => applied.set(key, [...(applied.get(key) ?? []), id]);
  for (const statement of Object.values(appliedRowQueries)) {
    const { rows } = await client.query<{ key: string; id: string }>(statement);
    for (const { key, id } of rows) add(key, id);
  }
  const allocationsByPath = new Map<string, Operation>();
  for (const { operation } of results.values()) if (operation.kind === "allocation") allocationsByPath.set(operation.path, operation);
  const { rows } = await client.query<{ id: string }>(laterAllocations);
  for (const { id } of rows) add(allocationsByPath.get(`/api/payments/${id}/allocate`)?.key ?? `an allocation of ${id}`, id);
  return applied;
}

/**
 * Checks that acknowledged operations were applied exactly once, ambiguous ones at most once and refused ones not at all, and that
 * all rows satisfy the integrity rules.
 */
export async function check(client: pg.ClientBase, results: ReadonlyMap<string, OperationResult>): Promise<Verdict> {
  const applied = await appliedOperations(client, results);
  const all = [...results.values()];
  const acknowledged = all.filter((result) => result.acknowledged);
  const partial: string[] = [];
  for (const [rule, statement] of Object.entries(integrityRules)) {
    const { rows } = await client.query<{ id: string }>(statement);
    partial.push(...rows.map(({ id }) => `${id}: ${rule}`));
  }
  const { rows: totals } = await client.query<{ sum: string }>("select coalesce(sum(debit_cents - credit_cents), 0) as sum from journal_line");
  const describe = ({ kind, key }: Operation) => `${kind} ${key}`;
  return {
    operations: all.length,
    acknowledged: acknowledged.length,
    ambiguous: all.filter(({ isAmbiguous }) => isAmbiguous).length,
    refused: all.filter(({ refused }) => refused).length,
    lost: acknowledged.filter((result) => !applied.get(result.operation.key)?.includes(result.acknowledged!.id)).map(({ operation }) => describe(operation)),
    doubled: [...applied].filter(([, ids]) => ids.length > 1).map(([key]) => key),
    unexpected: [...applied.keys()].filter((key) => !results.has(key) || results.get(key)!.refused !== undefined),
    partial,
    trialBalance: Number(totals[0]!.sum),
  };
}
