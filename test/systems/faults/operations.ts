/** Random operations of the writers: six kinds of writes to the ledger, a few of them invalid so that they must be refused. */
import { randomUUID } from "node:crypto";
import type { Office } from "../../support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../support/tenancy.ts";
import type { Random } from "./random.ts";

export type Kind = "payment" | "charge" | "entry" | "allocation" | "entryReversal" | "paymentReversal";

/** Request for a ledger operation. A request with the same key is a retry. */
export interface Operation {
  kind: Kind;
  key: string;
  path: string;
  body: Record<string, unknown>;
  /** Set if the operation must be refused. */
  isInvalid?: boolean;
}

/** Resources that the operations refer to. */
export interface TestData {
  tenancies: readonly (Tenancy & { charges: readonly string[] })[];
  accounts: { cash: string; equity: string };
}

const TENANCIES = 4;
const CHARGES_EACH = 8;
/** Exceeds the sum of all payments of the longest run. */
const CHARGE_CENTS = 10_000_000_000;
const UNKNOWN_ID = "01890000-0000-7000-8000-000000000000";

/** Creates tenancies with large charges that all writers pay concurrently. */
export async function createTestData(office: Office): Promise<TestData> {
  const tenancies = await Promise.all(
    Array.from({ length: TENANCIES }, async () => {
      const tenancy = await aTenancy(office);
      const charges = await Promise.all(Array.from({ length: CHARGES_EACH }, () => aCharge(office, tenancy.leaseId, CHARGE_CENTS)));
      return { ...tenancy, charges };
    }),
  );
  const { categories } = await office.call("listCategories");
  const cash = categories.find(({ code }) => code === "1000")!.id;
  const equity = categories.find(({ accountType }) => accountType === "equity")!.id;
  return { tenancies, accounts: { cash, equity } };
}

interface Credit {
  paymentId: string;
  charges: readonly string[];
  unallocatedCents: number;
}

/** Endless sequence of operations of one writer. Some refer to resources of earlier, acknowledged operations. */
export interface Workload {
  next(): Operation;
  /** Stores the id of the resource of an acknowledged operation, so that later operations can refer to the resource. */
  recordAcknowledgement(operation: Operation, id: string): void;
}

export function workloadOf({ tenancies, accounts }: TestData, random: Random): Workload {
  const credits: Credit[] = [];
  const reversiblePayments: string[] = [];
  const reversibleEntries: string[] = [];
  const pick = <T>(all: readonly T[]): T => all[random.integerBelow(all.length)]!;

  function payment(isInvalid = false): Operation {
    const { charges, ...tenancy } = pick(tenancies);
    const amountCents = 200 + random.integerBelow(900);
    const chargeId = isInvalid ? UNKNOWN_ID : pick(charges);
    const body = { ...aPayment(tenancy, amountCents), allocations: [{ chargeId, amountCents: amountCents - random.integerBelow(2) * 100 }] };
    return { kind: "payment", key: body.idempotencyKey, path: "/api/payments", body, ...(isInvalid && { isInvalid }) };
  }
  function charge(): Operation {
    const key = randomUUID();
    const body = { leaseId: pick(tenancies).leaseId, amountCents: 100 + random.integerBelow(5_000), dueDate: "2026-10-01", chargeType: "rent", memo: key };
    return { kind: "charge", key, path: "/api/charges", body };
  }
  function entry(isInvalid = false): Operation {
    const key = randomUUID();
    const cents = 1 + random.integerBelow(9_999);
    const lines = [
      { accountId: accounts.cash, debitCents: cents },
      { accountId: accounts.equity, creditCents: isInvalid ? cents + 1 : cents },
    ];
    const body = { memo: key, occurredAt: "2026-02-01T12:00:00.000Z", lines };
    return { kind: "entry", key, path: "/api/accounting/journal-entries", body, ...(isInvalid && { isInvalid }) };
  }
  function allocation(credit: Credit | undefined): Operation {
    if (!credit) return payment();
    const body = { allocations: [{ chargeId: pick(credit.charges), amountCents: credit.unallocatedCents }] };
    return { kind: "allocation", key: randomUUID(), path: `/api/payments/${credit.paymentId}/allocate`, body };
  }
  function entryReversal(id: string | undefined): Operation {
    const key = randomUUID();
    if (!id) return entry();
    return { kind: "entryReversal", key, path: `/api/accounting/journal-entries/${id}/reverse`, body: { memo: key, occurredAt: "2026-02-02T12:00:00.000Z" } };
  }
  function paymentReversal(id: string | undefined): Operation {
    const key = randomUUID();
    if (!id) return payment();
    return { kind: "paymentReversal", key, path: `/api/payments/${id}/reverse`, body: { memo: key, reason: "entry_error" } };
  }

  return {
    next() {
      const roll = random.integerBelow(100);
      if (roll < 40) return payment();
      if (roll < 58) return charge();
      if (roll < 74) return entry();
      if (roll < 84) return allocation(credits.shift());
      if (roll < 91) return entryReversal(reversibleEntries.shift());
      if (roll < 97) return paymentReversal(reversiblePayments.shift());
      return roll < 99 ? payment(true) : entry(true);
    },
    recordAcknowledgement({ kind, body }, id) {
      if (kind === "entry") reversibleEntries.push(id);
      if (kind !== "payment") return;
      const { leaseId, amountCents, allocations } = body as { leaseId: string; amountCents: number; allocations: { amountCents: number }[] };
      const unallocatedCents = amountCents - allocations[0]!.amountCents;
      const { charges } = tenancies.find((tenancy) => tenancy.leaseId === leaseId)!;
      // A payment with unallocated credit is allocated later and never reversed: a reversal would release the allocation that the checker counts.
      if (unallocatedCents > 0) credits.push({ paymentId: id, charges, unallocatedCents });
      else reversiblePayments.push(id);
    },
  };
}

/** Returns the id in a response: of the created resource, or of the allocated payment. */
export function resultId({ kind }: Operation, text: string): string {
  const response = JSON.parse(text) as Record<"payment" | "charge" | "journalEntry" | "reversal", { id: string }>;
  const member = { payment: "payment", charge: "charge", entry: "journalEntry", allocation: "payment", entryReversal: "reversal", paymentReversal: "reversal" };
  return response[member[kind] as keyof typeof response].id;
}
