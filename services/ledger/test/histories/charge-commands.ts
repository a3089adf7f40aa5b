/** Commands of random histories on charges. */
import { expect } from "@jest/globals";
import { randomUUID } from "node:crypto";
import { attemptExpecting, expectedOutcome, randomDate, type Command } from "./command-context.ts";
import { todayInOffice } from "../ledger.fixtures.ts";
import { creditedCents, laterDate, openCents } from "./ledger.model.ts";

export const createCharge: Command = async (context) => {
  const { office, accountIds, tenancy, foreign, model, random } = context;
  const isForeign = random.chance(0.04);
  const leaseId = isForeign ? foreign.tenancy.leaseId : random.pick([tenancy.leaseId, tenancy.leaseId, tenancy.otherLeaseId])!;
  const chargeType = random.pick(["rent", "rent", "fee", "deposit"] as const)!;
  const amountCents = random.integer(500);
  const dueDate = randomDate(random);
  const code = chargeType === "deposit" ? undefined : random.pick([undefined, "4000", "4010", "4090"]);
  const body = { leaseId, amountCents, dueDate, chargeType, ...(code && { categoryId: accountIds[code]! }) };
  const headers: Record<string, string> = random.chance(0.15) ? { "Idempotency-Key": randomUUID() } : {};
  const isAllowed = !isForeign && model.isOpen(dueDate);
  const first = await attemptExpecting(context, isAllowed, () => office.attempt("createCharge", { body, headers }));
  if (!isAllowed) return "refused";
  if (code) expect(first.body.charge.categoryId).toBe(accountIds[code]);
  model.charge({ id: first.body.charge.id, leaseId, isDeposit: chargeType === "deposit", dueDate, amountCents });
  if (headers["Idempotency-Key"]) {
    const [repeated, changed] = [
      await office.attempt("createCharge", { body, headers }),
      await office.attempt("createCharge", { body: { ...body, amountCents: amountCents + 1 }, headers }),
    ];
    expect([repeated.status, repeated.text, changed.status, changed.body.code]).toEqual([200, first.text, 409, "idempotency_key_reused"]);
  }
  return "accepted";
};

export const voidCharge: Command = async (context) => {
  const { office, model, random } = context;
  const charge = random.pick(model.charges.values());
  if (!charge) return undefined;
  const isAllowed = !charge.isVoided && !charge.isRefund && charge.allocatedCents === 0 && creditedCents(charge) === 0;
  await attemptExpecting(context, isAllowed, () => office.attempt("voidCharge", { params: { id: charge.id }, body: { reason: "a mistake" } }));
  if (isAllowed) model.void(charge.id);
  return expectedOutcome(isAllowed);
};

/** Credits a charge by its balance, less or more, on a random day or by default; some days are before the due date. */
export const creditCharge: Command = async (context) => {
  const { office, model, random } = context;
  const charge = random.pick(model.charges.values());
  if (!charge) return undefined;
  const open = openCents(charge);
  const amountCents = Math.max(1, random.pick([open, Math.ceil(open / 2), Math.ceil(open / 4), open + 1])!);
  const date = randomDate(random);
  const creditedOn = random.pick([undefined, charge.dueDate, laterDate(charge.dueDate, date), laterDate(charge.dueDate, date), date]);
  const isAllowed = !charge.isRefund && amountCents <= open && (creditedOn === undefined || creditedOn >= charge.dueDate);
  const body = { amountCents, reason: "concession" as const, ...(creditedOn !== undefined && { creditedOn }) };
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("creditCharge", { params: { id: charge.id }, body }));
  if (!isAllowed) return "refused";
  const { id } = response.body.credit;
  const given = model.credit(charge.id, { id, amountCents }, creditedOn ?? laterDate(charge.dueDate, todayInOffice()));
  expect(response.body.credit).toMatchObject({ amountCents, creditedOn: given.creditedOn, reversedAt: null });
  return "accepted";
};

/** Reverses a credit, or attempts to reverse one again. */
export const reverseCredit: Command = async (context) => {
  const { office, model, random } = context;
  const charge = random.pick([...model.charges.values()].filter(({ credits }) => credits.length > 0));
  const credit = charge && random.pick(charge.credits);
  if (!credit) return undefined;
  const isAllowed = !credit.isReversed;
  await attemptExpecting(context, isAllowed, () => office.attempt("reverseCredit", { params: { id: charge.id, creditId: credit.id } }));
  if (isAllowed) model.reverseCredit(charge.id, credit, todayInOffice());
  return expectedOutcome(isAllowed);
};

/** Moves the due date of a charge, or attempts it for one that is settled, was settled before or has a date in a closed period. */
export const updateCharge: Command = async (context) => {
  const { office, model, random } = context;
  const charge = random.pick(model.charges.values());
  if (!charge) return undefined;
  const dueDate = randomDate(random);
  const isUnsettled = !charge.isVoided && charge.allocatedCents === 0 && creditedCents(charge) === 0;
  const isMovable = !charge.isRefund && !charge.reopened && [charge.dueDate, dueDate].every((date) => model.isOpen(date));
  const isAllowed = isUnsettled && (isMovable || dueDate === charge.dueDate);
  await attemptExpecting(context, isAllowed, () => office.attempt("updateCharge", { params: { id: charge.id }, body: { dueDate } }));
  if (isAllowed) model.moveDueDate(charge, dueDate);
  return expectedOutcome(isAllowed);
};
