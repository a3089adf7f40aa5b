import { afterEach, expect, test } from "@jest/globals";
import { EventReader } from "../../../../test/support/events/stream.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice, type Colleague } from "../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy } from "../../../../test/support/tenancy.ts";
import { todayInOffice } from "../../test/ledger.fixtures.ts";
import { aContribution, aPayingOffice, approvePayouts, draftPayouts, payPayout } from "../owners/owners.fixtures.ts";
import { aBillPayment, aFundedProperty, anExpense, aVendor } from "../payables/payables.fixtures.ts";

const readers: EventReader[] = [];
afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

async function openStream({ baseUrl, token }: Colleague): Promise<EventReader> {
  const reader = await EventReader.open(baseUrl, token!);
  readers.push(reader);
  await reader.waitForFrame("stream.ready", ({ event }) => event === "stream.ready");
  return reader;
}

/** Events that a portal user receives besides those of money. */
const others = ["invite.accepted", "notification.created"];

/** Returns the types and entities of the events of money up to the last one that is expected. */
async function eventsUntil(reader: EventReader, type: string, entityId: string) {
  const received = () => reader.events.map(({ event, data }) => [event, data["entityId"]] as const).filter(([event]) => !others.includes(event));
  await eventually(type, () => received().some((each) => each[0] === type && each[1] === entityId));
  return received();
}

test("an owner receives the events of payouts from their payment on, of contributions and of statements, and none of other owners", async () => {
  const { office, ann, ben, propertyId, bankAccountId } = await aPayingOffice();
  const [annsStream, bensStream] = [await openStream(await office.ownerUser(ann)), await openStream(await office.ownerUser(ben))];
  const [dropped] = await draftPayouts(office, { ownerIds: [ann] });
  await office.call("voidOwnerPayable", { params: { id: dropped!.id } });
  const [payout] = await draftPayouts(office, { ownerIds: [ann] });
  await office.call("updateOwnerPayable", { params: { id: payout!.id }, body: { amountCents: 100, reason: "Repair" } });
  await approvePayouts(office, [payout!]);
  expect((await payPayout(office, payout!)).status).toBe(200);
  await office.call("updateOwnerPayable", { params: { id: payout!.id }, body: { referenceNumber: "1001" } });
  await office.call("voidOwnerPayable", { params: { id: payout!.id } });
  const { contribution } = await office.call("createOwnerContribution", { params: { id: ann }, body: aContribution(propertyId, bankAccountId, 500) });
  const params = { id: ann, contributionId: contribution.id };
  await office.call("voidOwnerContribution", { params, body: { reason: "wrong owner" } });
  const period = { periodStart: "2026-01-01", periodEnd: "2026-01-31" };
  const { ownerStatement } = await office.call("createOwnerStatement", { params: { id: ann }, body: period });
  expect(await eventsUntil(annsStream, "owner_statement.issued", ownerStatement.id)).toEqual([
    ["owner_payable.paid", payout!.id],
    ["owner_payable.updated", payout!.id],
    ["owner_payable.voided", payout!.id],
    ["owner_contribution.recorded", contribution.id],
    ["owner_contribution.voided", contribution.id],
    ["owner_statement.issued", ownerStatement.id],
  ]);
  const { ownerStatement: bens } = await office.call("createOwnerStatement", { params: { id: ben }, body: period });
  expect(await eventsUntil(bensStream, "owner_statement.issued", bens.id)).toEqual([["owner_statement.issued", bens.id]]);
});

test("a vendor receives the events of issued payments, and none of pending ones, of memos and of other vendors", async () => {
  const office = await anOffice();
  const { propertyId, bankAccountId } = await aFundedProperty(office, 5_000);
  const [vera, rival] = [await aVendor(office, "Vera"), await aVendor(office, "Rival")];
  const [verasStream, rivalsStream] = [await openStream(await office.vendorUser(vera)), await openStream(await office.vendorUser(rival))];
  const pay = async (vendorId: string, amountCents: number, change: object = {}) => {
    const { id: expenseId } = await anExpense(office, propertyId, amountCents, { vendorId });
    const body = aBillPayment(bankAccountId, amountCents, [{ expenseId, amountCents }], { vendorId, ...change });
    return (await office.call("recordExpensePayment", { body })).expensePayment;
  };
  const failed = await pay(vera, 10, { status: "pending" });
  await office.call("failExpensePayment", { params: { id: failed.id } });
  const pending = await pay(vera, 20, { status: "pending" });
  await office.call("voidExpensePayment", { params: { id: pending.id }, body: { reason: "lost" } });
  const issuedLater = await pay(vera, 30, { status: "pending" });
  await office.call("issueExpensePayment", { params: { id: issuedLater.id } });
  const paid = await pay(vera, 40);
  const params = { id: paid.id };
  await office.call("updateExpensePayment", { params, body: { memo: "For the office" } });
  await office.call("updateExpensePayment", { params, body: { referenceNumber: "1001" } });
  await office.call("voidExpensePayment", { params, body: { reason: "lost" } });
  expect(await eventsUntil(verasStream, "expense_payment.voided", paid.id)).toEqual([
    ["expense_payment.issued", issuedLater.id],
    ["expense_payment.recorded", paid.id],
    ["expense_payment.updated", paid.id],
    ["expense_payment.voided", paid.id],
  ]);
  const rivals = await pay(rival, 50);
  expect(await eventsUntil(rivalsStream, "expense_payment.recorded", rivals.id)).toEqual([["expense_payment.recorded", rivals.id]]);
});

test("each tenant of a lease receives the events of its charges, payments and deposits, whoever paid, and a released co-tenant none of later ones", async () => {
  const office = await anOffice();
  const { id: coTenantId } = (await office.call("createTenant", { body: { fullName: "Carla Co" } })).tenant;
  const tenancy = await aTenancy(office, { coTenantId });
  const users = [await office.tenantUser(tenancy.tenantId), await office.tenantUser(coTenantId)];
  const streams = [await openStream(users[0]!), await openStream(users[1]!)] as const;
  const today = todayInOffice();
  const chargeId = await aCharge(office, tenancy.leaseId, 10_000, today);
  const params = { id: chargeId };
  await office.call("creditCharge", { params, body: { amountCents: 100, reason: "waive" } });
  const pay = async (tenantId: string, change: object = {}) =>
    (await office.call("recordPayment", { body: { ...aPayment({ ...tenancy, tenantId }, 1_000), ...change } })).payment.id;
  const ofCoTenant = await pay(coTenantId);
  const ofTenant = await pay(tenancy.tenantId, { autoAllocate: true });
  await office.call("allocatePayment", { params: { id: ofCoTenant }, body: { allocations: [{ chargeId, amountCents: 500 }] } });
  await office.call("reversePayment", { params: { id: ofTenant }, body: { reason: "nsf" } });
  const { securityDeposit } = await office.call("createSecurityDeposit", { body: { leaseId: tenancy.leaseId, requiredCents: 5_000, chargeTenant: false } });
  const expected = [
    ["charge.posted", chargeId],
    ["charge.credited", chargeId],
    ["payment.received", ofCoTenant],
    ["payment.received", ofTenant],
    ["payment.allocated", ofCoTenant],
    ["payment.reversed", ofTenant],
    ["security_deposit.created", securityDeposit.id],
  ];
  for (const stream of streams) {
    const received = await eventsUntil(stream, "security_deposit.created", securityDeposit.id);
    expect(received.filter(([event]) => /^(charge|payment|security_deposit)/.test(event!))).toEqual(expected);
  }
  const { occupants } = (await office.call("getLease", { params: { id: tenancy.leaseId } })).lease;
  const occupantId = occupants.find((occupant) => occupant.tenantId === coTenantId)!.id;
  await office.call("releaseOccupant", { params: { id: occupantId }, body: { releasedOn: today } });
  const later = await aCharge(office, tenancy.leaseId, 2_000, today);
  await eventsUntil(streams[0], "charge.posted", later);
  const note = { entityType: "tenant" as const, entityId: coTenantId, body: "Goodbye", visibility: "tenant_shared" as const };
  const { id: noteId } = (await office.call("createNote", { body: note })).note;
  const received = await eventsUntil(streams[1], "note.created", noteId);
  expect(received.filter(([, id]) => id === later)).toEqual([]);
});
