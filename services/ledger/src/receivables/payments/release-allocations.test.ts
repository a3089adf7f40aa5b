/** Allocations that are released: by the reversal of their payment. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../../test/support/office.ts";
import { aCharge, aPayment, aTenancy, type Tenancy } from "../../../../../test/support/tenancy.ts";
import { running } from "../../../../../test/support/running.ts";
import { findViolations } from "../../../test/invariants.queries.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import pg from "pg";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

const pay = async (chargeId: string, amountCents: number) =>
  (await office.call("recordPayment", { body: { ...aPayment(tenancy, amountCents), allocations: [{ chargeId, amountCents }] } })).payment;
const expectNoViolations = async () => expect(await withOwnerConnection(office, findViolations)).toEqual([]);

describe("reversePayment", () => {
  test("keeps the allocations as released on the day of the reversal, and counts live ones only", async () => {
    const chargeId = await aCharge(office, tenancy.leaseId, 700);
    const returned = await pay(chargeId, 500);
    await office.call("reversePayment", { params: { id: returned.id }, body: { reason: "nsf", reversedAt: "2026-01-20T15:00:00.000Z" } });
    const replacement = await pay(chargeId, 700);
    const { charge, allocations } = await office.call("getCharge", { params: { id: chargeId } });
    expect([charge.allocatedCents, allocations.map(({ paymentId }) => paymentId)]).toEqual([700, [replacement.id]]);
    expect((await office.call("getPayment", { params: { id: returned.id } })).payment.allocations).toEqual([]);
    const { rows } = await withOwnerConnection(office, (client) =>
      client.query("select amount_cents::int as cents, released_on::text from payment_allocation where payment_id = $1", [returned.id]),
    );
    expect(rows).toEqual([{ cents: 500, released_on: "2026-01-20" }]);
    await expectNoViolations();
  });
});

describe("the table of allocations", () => {
  test("refuses the service every deletion, and everyone a change other than the first release", async () => {
    const { id } = await pay(await aCharge(office, tenancy.leaseId, 100), 100);
    await office.call("reversePayment", { params: { id }, body: { reason: "nsf" } });
    const change = (statement: string) =>
      withOwnerConnection(office, (client) => client.query(`update payment_allocation set ${statement} where payment_id = $1`, [id]));
    await expect(change("released_on = null, released_at = null")).rejects.toMatchObject({ code: "42501" });
    await expect(change("amount_cents = 1")).rejects.toMatchObject({ code: "42501" });
    const service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
    await service.connect();
    await service.query("select set_config('app.organization_id', $1, false)", [office.organizationId]);
    await expect(service.query("delete from payment_allocation where payment_id = $1", [id])).rejects.toMatchObject({ code: "42501" });
    await service.end();
  });
});
