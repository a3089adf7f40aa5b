/** Commands of random histories on deposits of payments at a bank. */
import { expect } from "@jest/globals";
import { attemptExpecting, expectedOutcome, randomDate, type Command } from "./command-context.ts";
import { laterDate } from "./ledger.model.ts";

/** Deposits one to three payments on a random day; some were received later, are reversed or deposited, or belong to another organization. */
export const createDeposit: Command = async (context) => {
  const { office, accountIds, foreign, model, random } = context;
  const candidates = [...model.payments.values()].filter((payment) => random.chance(0.1) || model.isDepositable(payment));
  const payments = [...new Set(Array.from({ length: random.integer(3) }, () => random.pick(candidates)).filter((payment) => payment !== undefined))];
  if (payments.length === 0) return undefined;
  const isForeign = random.chance(0.04);
  const lastReceivedOn = payments.map(({ postedOn }) => postedOn).reduce(laterDate);
  const date = randomDate(random);
  const depositedOn = random.pick([lastReceivedOn, laterDate(lastReceivedOn, date), date])!;
  const isAllowed = !isForeign && lastReceivedOn <= model.postingDate(depositedOn) && payments.every((payment) => model.isDepositable(payment));
  const bank = random.pick(["1000", "1010"])!;
  const paymentIds = [...payments.map(({ id }) => id), ...(isForeign ? [foreign.paymentId] : [])];
  const body = { bankAccountId: accountIds[bank]!, depositedOn, paymentIds };
  const response = await attemptExpecting(context, isAllowed, () => office.attempt("createDeposit", { body }));
  if (!isAllowed) return "refused";
  const { id, amountCents } = response.body.deposit;
  expect(amountCents).toBe(payments.reduce((sum, payment) => sum + payment.amountCents, 0));
  model.deposit({ id, bank, paymentIds });
  return "accepted";
};

/** Voids a deposit, or attempts to void one that was voided or has a reversed payment. */
export const voidDeposit: Command = async (context) => {
  const { office, model, random } = context;
  const deposit = random.pick(model.bankDeposits.values());
  if (!deposit) return undefined;
  const isAllowed = !deposit.isVoided && deposit.paymentIds.every((id) => !model.payments.get(id)!.isReversed);
  await attemptExpecting(context, isAllowed, () => office.attempt("voidDeposit", { params: { id: deposit.id }, body: { reason: "a mistake" } }));
  if (isAllowed) deposit.isVoided = true;
  return expectedOutcome(isAllowed);
};
