import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../../test/support/office.ts";
import { aJanuary, clearAmounts, JANUARY } from "./reconciliations.fixtures.ts";

test("responses with one draft have its proof as of now, and the list and the matching of lines have none", async () => {
  const office = await anOffice();
  const { bankAccountId } = await aJanuary(office);
  const body = { bankAccountId, statementEndDate: "2026-01-31", statementEndingBalanceCents: JANUARY.endingCents };
  const { reconciliation: created } = await office.call("createReconciliation", { body });
  const params = { id: created.id };
  const read = async () => (await office.call("getReconciliation", { params })).reconciliation.threeWay;
  expect(created.threeWay).toMatchObject({ bookCents: 297_550, depositsInTransitCents: 240_050, outstandingChecksCents: 42_500, isBalanced: false });
  expect(created.threeWay).toEqual(await read());
  const cleared = await clearAmounts(office, created.id, ...JANUARY.cleared);
  expect(cleared.threeWay).toMatchObject({ depositsInTransitCents: 90_000, outstandingChecksCents: 12_000, isBalanced: true });
  const { items } = await office.call("listReconciliationItems", { params, query: { cleared: "true" } });
  const uncleared = await office.call("unclearTransactions", { params, body: { transactionIds: [items[0]!.transactionId] } });
  expect(uncleared.reconciliation.threeWay).toMatchObject({ depositsInTransitCents: 240_000 });
  const changed = await office.call("updateReconciliation", { params, body: { statementEndingBalanceCents: 1 } });
  expect(changed.reconciliation.threeWay!.adjustedBankCents).toBe(1 + 240_000 - 12_000);
  const { reconciliation: matched } = await office.call("autoMatchReconciliation", { params, body: {} });
  expect(matched.threeWay).toEqual(await read());
  const { reconciliations } = await office.call("listReconciliations", { query: { bankAccountId } });
  expect(reconciliations.map(({ threeWay }) => threeWay)).toEqual([null]);
});
