/** Bugs that are planted in a copy of the books of trust, each of which the invariants of trust must notice. */
import type { Bug } from "../planted-bugs.ts";
import { chargeRent, receive } from "./money-commands.ts";
import { FIRST_DAY, noonOn, type TrustContext } from "./trust-office.ts";

const account = (code: string) => `(select id from category where code = '${code}')`;
/** Selects the first line of an account, or of any bank, in a posted entry of a source. */
const lineOf = (
  source: string,
  code: string,
) => `(select l.id from journal_line l join journal_entry e on e.id = l.entry_id join category c on c.id = l.account_id
  where e.source = '${source}' and e.status = 'posted' and ${code === "bank" ? "c.is_bank" : `c.code = '${code}'`} order by l.id limit 1)`;
const otherBank = "(select b.id from bank_account b where b.id <> l.bank_account_id and b.account_type <> 'business' order by b.id limit 1)";
const otherProperty = "(select d.property_id from security_deposit d where d.property_id <> l.property_id order by d.id limit 1)";

export const trustPlantedBugs: Record<string, Bug> = {
  "a contribution at another bank": {
    plant: [`update journal_line l set bank_account_id = ${otherBank} where id = ${lineOf("contribution", "bank")}`],
    violates: "the balance of a bank account equals what its documents have moved",
  },
  "a contribution of another owner": {
    plant: [`update owner_contribution c set owner_id = (select owner_id from owner_payable p where p.owner_id <> c.owner_id limit 1)`],
    violates: "the contributions of an owner equal those that are not voided",
  },
  "a payout that is paid and not posted": {
    plant: ["delete from journal_line where entry_id = (select entry_id from owner_payable where status = 'paid' order by id limit 1)"],
    violates: "the distributions to an owner equal the payouts that are paid",
  },
  "a payout that is voided and stays posted": {
    plant: ["update owner_payable set status = 'voided' where id = (select id from owner_payable where status = 'paid' order by id limit 1)"],
    violates: "the distributions to an owner equal the payouts that are paid",
  },
  "a payout of the money of another property": {
    plant: [`update journal_line l set property_id = ${otherProperty} where id = ${lineOf("distribution", "bank")}`],
    violates: "a payout is paid with the money of its property",
  },
  "a transfer that reaches another account": {
    plant: [
      `update journal_line l set bank_account_id = (select b.id from bank_account b join bank_transfer t on b.id not in (t.from_bank_account_id, t.to_bank_account_id) limit 1)
        where l.id = (select l.id from journal_line l join journal_entry e on e.id = l.entry_id join category c on c.id = l.account_id where e.source = 'transfer' and c.is_bank and l.debit_cents > 0 order by l.id limit 1)`,
    ],
    violates: "a transfer takes its amount from one bank account to the other",
  },
  "a deposit whose money is transferred without its liability": {
    plant: [`delete from journal_line where account_id = ${account("2100")} and entry_id in (select id from journal_entry where source = 'transfer')`],
    violates: "a transfer moves deposits and prepaid rent with their money",
  },
  "a refund of a deposit from another account": {
    plant: [`update journal_line l set bank_account_id = ${otherBank} where id = ${lineOf("security_deposit", "bank")}`],
    violates: "the balance of a bank account equals what its documents have moved",
  },
  "a cent of a fee that its run does not count": {
    plant: ["update management_fee set amount_cents = amount_cents + 1 where id = (select id from management_fee order by id limit 1)"],
    violates: "the fees of a run add up to its total",
  },
  "interest that is recorded twice": {
    plant: [`update journal_line set debit_cents = 2 * debit_cents where id = ${lineOf("adjustment", "bank")}`],
    violates: "the balance of a bank account equals what its documents have moved",
  },
  "a reconciled transaction that is reversed": {
    plant: [
      `insert into journal_entry select (jsonb_populate_record(e, jsonb_build_object('id', md5(e.id::text)::uuid, 'created_at', now() + interval '1 day'))).*
        from journal_entry e where e.id = (select entry_id from reconciliation_item where is_cleared order by entry_id limit 1)`,
      "update journal_entry e set reversed_by_id = md5(e.id::text)::uuid where e.id = (select entry_id from reconciliation_item where is_cleared order by entry_id limit 1)",
    ],
    violates: "what a finalized reconciliation has cleared is not reversed",
  },
  "a reconciliation that misses a withdrawal": {
    plant: ["update reconciliation set cleared_withdrawals_cents = cleared_withdrawals_cents - 1 where status = 'finalized'"],
    violates: "a finalized reconciliation ends with the balance of the statement",
  },
};

/** Posts a document of each kind in which a bug is planted. */
export async function postOneOfEachOfTrust(context: TrustContext): Promise<void> {
  const { office, properties, accounts, ann } = context;
  const { pooled, escrow } = accounts;
  const [property, other] = [properties[0]!, properties[1]!];
  for (const each of [property, other]) {
    await chargeRent(context, each, 100_000, FIRST_DAY);
    await receive(context, each, 100_000, FIRST_DAY);
  }
  const paymentIds = context.records.payments.map(({ id }) => id);
  await office.call("createDeposit", { body: { bankAccountId: pooled, depositedOn: FIRST_DAY, paymentIds } });
  const { propertyId, leaseId, depositId: id } = property;
  const receipt = { receivedAt: noonOn(FIRST_DAY), paymentMethod: "check" as const };
  await office.call("createOwnerContribution", { params: { id: ann }, body: { propertyId, amountCents: 5_000, bankAccountId: pooled, ...receipt } });
  await office.call("recordSecurityDepositReceipt", { params: { id }, body: { amountCents: 40_000, bankAccountId: pooled, ...receipt } });
  const allocations = [{ kind: "deposit" as const, leaseId, amountCents: 40_000 }];
  const transfer = { fromBankAccountId: pooled, toBankAccountId: escrow, amountCents: 40_000, occurredAt: noonOn("2025-01-10"), allocations };
  await office.call("createTransfer", { body: transfer });
  await office.call("createBankAdjustment", { params: { id: pooled }, body: { kind: "interest", amountCents: 90, occurredOn: "2025-01-11" } });
  await office.call("createManagementFeeRun", { body: { periodStart: "2025-01-01", periodEnd: "2025-01-31", bankAccountId: pooled } });
  const { ownerPayables } = await office.call("runOwnerPayables", { body: { periodEnd: "2025-01-31", bankAccountId: pooled } });
  for (const payable of ownerPayables) {
    await office.call("approveOwnerPayable", { params: { id: payable.id } });
    await office.call("payOwnerPayable", { params: { id: payable.id }, body: { paidAt: noonOn("2025-02-03") } });
  }
  const letter = { sentAt: noonOn("2025-03-03"), method: "mail" as const, forwardingAddress: "9 Oak Street, Troy, NY 12180" };
  await office.call("updateSecurityDeposit", { params: { id }, body: { moveOutDate: "2025-02-28" } });
  await office.call("finalizeSecurityDeposit", { params: { id }, body: letter });
  const refund = { amountCents: 40_000, method: "check" as const, bankAccountId: escrow, paidAt: noonOn("2025-03-05") };
  await office.call("refundSecurityDeposit", { params: { id }, body: refund });
  await reconcile(context, escrow);
}

async function reconcile({ office }: TrustContext, bankAccountId: string): Promise<void> {
  const body = { bankAccountId, statementEndDate: "2025-03-31", statementEndingBalanceCents: 0 };
  const { id } = (await office.call("createReconciliation", { body })).reconciliation;
  const { items } = await office.call("listReconciliationItems", { params: { id }, query: { pageSize: "100" } });
  await office.call("clearTransactions", { params: { id }, body: { transactionIds: items.map(({ transactionId }) => transactionId) } });
  await office.call("finalizeReconciliation", { params: { id }, body: {} });
}
