/** Holds a history against the ledger's database, seen past every wall. */
import type pg from "pg";
import type { OperationResult } from "./history.ts";
import type { Kind, Operation } from "./operations.ts";

export interface Verdict {
  operations: number;
  acknowledged: number;
  ambiguous: number;
  refused: number;
  /** Acknowledged, and not there under the id that was acknowledged. */
  lost: string[];
  /** There more than once. */
  doubled: string[];
  /** Refused or never asked for, and there. */
  uninvited: string[];
  /** There without what belongs to it. */
  partial: string[];
  trialBalance: number;
}

/** Every operation that took effect leaves one row here: the key it was asked with and the id it was answered. */
const effects: Record<Exclude<Kind, "allocation">, string> = {
  payment: "select idempotency_key as key, id from payment",
  charge: "select memo as key, id from charge where memo is not null",
  entry: "select memo as key, id from journal_entry where source = 'manual'",
  entryReversal: `select e.memo as key, e.id from journal_entry e join journal_entry was on was.organization_id = e.organization_id and was.id = e.reverses_id
    where was.source = 'manual'`,
  paymentReversal: "select memo as key, id from payment_reversal",
};
/** A later allocation bears no key of its own; each payment gets one at most. */
const laterAllocations = `select a.payment_id as id, a.entry_id from payment_allocation a join payment p on p.organization_id = a.organization_id and p.id = a.payment_id
  where a.entry_id <> p.entry_id`;

const sum = (what: string, from: string) => `coalesce((select sum(${what}) from ${from}), 0)`;

/** What is there without what belongs to it, each with the sentence that is broken. */
const fragments: Record<string, string> = {
  "a payment's entry has its amount": `select p.id from payment p
    where ${sum("debit_cents", "journal_line l where l.organization_id = p.organization_id and l.entry_id = p.entry_id")} <> p.amount_cents`,
  "a payment is what was allocated and what is left": `select p.id from payment p where p.status = 'received'
    and ${sum("a.amount_cents", "payment_allocation a where a.organization_id = p.organization_id and a.payment_id = p.id")} + p.unallocated_cents <> p.amount_cents`,
  "a reversed payment has a reversal and no allocation": `select p.id from payment p where (p.status = 'reversed')
      <> exists (select from payment_reversal r where r.organization_id = p.organization_id and r.payment_id = p.id)
    or (p.status = 'reversed' and exists (select from payment_allocation a where a.organization_id = p.organization_id and a.payment_id = p.id))`,
  "a charge is settled by its allocations": `select c.id from charge c
    where ${sum("a.amount_cents", "payment_allocation a where a.organization_id = c.organization_id and a.charge_id = c.id")} <> c.allocated_cents`,
  "a charge's entry has its amount": `select c.id from charge c
    where ${sum("debit_cents", "journal_line l where l.organization_id = c.organization_id and l.entry_id = c.entry_id")} <> c.amount_cents`,
  "a posted entry has lines that balance": `select e.id from journal_entry e
    left join (select organization_id, entry_id, count(*) as lines, sum(debit_cents) as debit, sum(credit_cents) as credit from journal_line group by 1, 2) l
      on l.organization_id = e.organization_id and l.entry_id = e.id
    where e.status <> 'draft' and (l.lines is null or l.lines < 2 or l.debit <> l.credit or l.debit <> e.debit_total_cents)`,
  "a reversed entry has its reversal": `select e.id from journal_entry e left join journal_entry r on r.organization_id = e.organization_id and r.id = e.reversed_by_id
    where (e.status = 'reversed') <> (r.id is not null) or (r.id is not null and r.reverses_id is distinct from e.id)`,
  "a payment is announced": `select id::text from payment except select envelope ->> 'entityId' from outbox where envelope ->> 'type' = 'payment.received'`,
};

async function appliedOperations(client: pg.ClientBase, fates: ReadonlyMap<string, OperationResult>): Promise<Map<string, string[]>> {
  const there = new Map<string, string[]>();
  const add = (key: string, id: string) => there.set(key, [...(there.get(key) ?? []), id]);
  for (const statement of Object.values(effects)) {
    const { rows } = await client.query<{ key: string; id: string }>(statement);
    for (const { key, id } of rows) add(key, id);
  }
  const byPath = new Map<string, Operation>();
  for (const { operation } of fates.values()) if (operation.kind === "allocation") byPath.set(operation.path, operation);
  const { rows } = await client.query<{ id: string }>(laterAllocations);
  for (const { id } of rows) add(byPath.get(`/api/payments/${id}/allocate`)?.key ?? `an allocation of ${id}`, id);
  return there;
}

/** Says of each operation whether it happened as it was answered, and of everything that happened whether it is whole. */
export async function check(client: pg.ClientBase, fates: ReadonlyMap<string, OperationResult>): Promise<Verdict> {
  const there = await appliedOperations(client, fates);
  const all = [...fates.values()];
  const acknowledged = all.filter((fate) => fate.acknowledged);
  const partial: string[] = [];
  for (const [sentence, statement] of Object.entries(fragments)) {
    const { rows } = await client.query<{ id: string }>(statement);
    partial.push(...rows.map(({ id }) => `${id}: ${sentence}`));
  }
  const { rows: totals } = await client.query<{ sum: string }>("select coalesce(sum(debit_cents - credit_cents), 0) as sum from journal_line");
  const describe = ({ kind, key }: Operation) => `${kind} ${key}`;
  return {
    operations: all.length,
    acknowledged: acknowledged.length,
    ambiguous: all.filter(({ isAmbiguous }) => isAmbiguous).length,
    refused: all.filter(({ refused }) => refused).length,
    lost: acknowledged.filter((fate) => !there.get(fate.operation.key)?.includes(fate.acknowledged!.id)).map(({ operation }) => describe(operation)),
    doubled: [...there].filter(([, ids]) => ids.length > 1).map(([key]) => key),
    uninvited: [...there.keys()].filter((key) => !fates.has(key) || fates.get(key)!.refused !== undefined),
    partial,
    trialBalance: Number(totals[0]!.sum),
  };
}
