/** What the writers ask for: every way in which money moves, and now and then what must be refused. */
import { randomUUID } from "node:crypto";
import type { Office } from "../../support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../support/tenancy.ts";
import type { Random } from "./random.ts";

export type Kind = "payment" | "charge" | "entry" | "allocation" | "entryReversal" | "paymentReversal";

/** A request that moves money. The same key again is the same operation. */
export interface Operation {
  kind: Kind;
  key: string;
  path: string;
  body: Record<string, unknown>;
  /** It asks for what cannot be. */
  isInvalid?: boolean;
}

/** What the operations are about. */
export interface TestData {
  tenancies: readonly (Tenancy & { charges: readonly string[] })[];
  accounts: { cash: string; equity: string };
}

const TENANCIES = 4;
const CHARGES_EACH = 8;
/** More than all payments of the longest run together. */
const CHARGE_CENTS = 10_000_000_000;
const UNKNOWN = "01890000-0000-7000-8000-000000000000";

/** Tenants with leases and large charges that all writers pay at the same time. */
export async function createTestData(office: Office): Promise<TestData> {
  const tenancies = await Promise.all(
    Array.from({ length: TENANCIES }, async () => {
      const tenancy = await aTenancy(office);
      const charges = await Promise.all(Array.from({ length: CHARGES_EACH }, () => aCharge(office, tenancy.leaseId, CHARGE_CENTS)));
      return { ...tenancy, charges };
    }),
  );
  const { categories } = await office.call("listCategories");
  const cash = categories.find(({ code }) => code === "1050")!.id;
  const equity = categories.find(({ accountType }) => accountType === "equity")!.id;
  return { tenancies, accounts: { cash, equity } };
}

interface Credit {
  paymentId: string;
  charges: readonly string[];
  restCents: number;
}

/** One writer's share of the work: what to ask next, given what was acknowledged before. */
export interface Workload {
  next(): Operation;
  acknowledged(operation: Operation, id: string): void;
}

export function workloadOf({ tenancies, accounts }: TestData, chance: Random): Workload {
  const credits: Credit[] = [];
  const reversiblePayments: string[] = [];
  const reversibleEntries: string[] = [];
  const anyOf = <T>(all: readonly T[]): T => all[chance.below(all.length)]!;

  function payment(isWrong = false): Operation {
    const { charges, ...tenancy } = anyOf(tenancies);
    const amountCents = 200 + chance.below(900);
    const chargeId = isWrong ? UNKNOWN : anyOf(charges);
    const body = { ...aPayment(tenancy, amountCents), allocations: [{ chargeId, amountCents: amountCents - chance.below(2) * 100 }] };
    return { kind: "payment", key: body.idempotencyKey, path: "/api/payments", body, ...(isWrong && { isInvalid: isWrong }) };
  }
  function charge(): Operation {
    const key = randomUUID();
    const body = { leaseId: anyOf(tenancies).leaseId, amountCents: 100 + chance.below(5_000), dueDate: "2026-10-01", chargeType: "rent", memo: key };
    return { kind: "charge", key, path: "/api/charges", body };
  }
  function entry(isWrong = false): Operation {
    const key = randomUUID();
    const cents = 1 + chance.below(9_999);
    const lines = [
      { accountId: accounts.cash, debitCents: cents },
      { accountId: accounts.equity, creditCents: isWrong ? cents + 1 : cents },
    ];
    const body = { memo: key, occurredAt: "2026-02-01T12:00:00.000Z", lines };
    return { kind: "entry", key, path: "/api/accounting/journal-entries", body, ...(isWrong && { isInvalid: isWrong }) };
  }
  function allocation(credit: Credit | undefined): Operation {
    if (!credit) return payment();
    const body = { allocations: [{ chargeId: anyOf(credit.charges), amountCents: credit.restCents }] };
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
      const dice = chance.below(100);
      if (dice < 40) return payment();
      if (dice < 58) return charge();
      if (dice < 74) return entry();
      if (dice < 84) return allocation(credits.shift());
      if (dice < 91) return entryReversal(reversibleEntries.shift());
      if (dice < 97) return paymentReversal(reversiblePayments.shift());
      return dice < 99 ? payment(true) : entry(true);
    },
    acknowledged({ kind, body }, id) {
      if (kind === "entry") reversibleEntries.push(id);
      if (kind !== "payment") return;
      const { leaseId, amountCents, allocations } = body as { leaseId: string; amountCents: number; allocations: { amountCents: number }[] };
      const restCents = amountCents - allocations[0]!.amountCents;
      const { charges } = tenancies.find((tenancy) => tenancy.leaseId === leaseId)!;
      // What is allocated later is never reversed, so that its allocations stay to be counted.
      if (restCents > 0) credits.push({ paymentId: id, charges, restCents });
      else reversiblePayments.push(id);
    },
  };
}

/** The id in an answer: of what the operation made, or of the payment that it allocated. */
export function resultId({ kind }: Operation, text: string): string {
  const answer = JSON.parse(text) as Record<"payment" | "charge" | "journalEntry" | "reversal", { id: string }>;
  const member = { payment: "payment", charge: "charge", entry: "journalEntry", allocation: "payment", entryReversal: "reversal", paymentReversal: "reversal" };
  return answer[member[kind] as keyof typeof answer].id;
}
