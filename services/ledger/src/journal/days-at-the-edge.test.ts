/** Times whose day in the organization's time zone lies outside of the years that the API accepts. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { anOffice, type Office } from "../../../../test/support/office.ts";
import { aPayment, aTenancy, type Tenancy } from "../../../../test/support/tenancy.ts";
import { accountIdsByCode, entryBody } from "./journal.fixtures.ts";
import { periodOf } from "../periods/periods.fixtures.ts";

/** In New York it is 1899-12-31. */
const FIRST_INSTANT = "1900-01-01T00:00:00.000Z";
/** The first instant of 1900 in New York. */
const FIRST_INSTANT_OF_OFFICE = "1900-01-01T05:00:00.000Z";

let office: Office;
let tenancy: Tenancy;
beforeAll(async () => {
  office = await anOffice();
  tenancy = await aTenancy(office);
});

describe("a payment at the start of 1900 is refused, or it has a receipt and is shown in the lease's ledger", () => {
  test.each([
    ["control: the first instant of 1900 in the time zone", FIRST_INSTANT_OF_OFFICE],
    ["the first instant of 1900 in UTC", FIRST_INSTANT],
  ])("%s", async (_name, receivedAt) => {
    const { status, body } = await office.attempt("recordPayment", { body: { ...aPayment(tenancy, 100), receivedAt } });
    if (status === 400) return expect(body.errors).toMatchObject([{ path: "receivedAt" }]);
    const receipt = await office.attempt("getPaymentReceipt", { params: { id: body.payment.id } });
    const ledger = await office.attempt("listLeaseLedger", { params: { id: tenancy.leaseId } });
    return expect([status, receipt.status, ledger.status]).toEqual([200, 200, 200]);
  });
});

describe("an entry at the start of 1900 is refused, or its month can be closed", () => {
  test.each([
    ["control: the first instant of 1900 in the time zone", FIRST_INSTANT_OF_OFFICE],
    ["the first instant of 1900 in UTC", FIRST_INSTANT],
  ])("%s", async (_name, occurredAt) => {
    const own = await anOffice();
    const accounts = await accountIdsByCode(own);
    const { status, body } = await own.attempt("createJournalEntry", {
      body: entryBody(
        accounts,
        [
          ["1000", 1],
          ["3100", -1],
        ],
        { occurredAt },
      ),
    });
    if (status === 400) return expect(body.errors).toMatchObject([{ path: "occurredAt" }]);
    // Earlier months than 1900 can be neither listed nor closed.
    await own.attempt("closeAccountingPeriod", { params: { id: (await periodOf(own, "1900-01")).id }, body: { force: true } });
    const { id } = await periodOf(own, "2026-01");
    const close = await own.attempt("closeAccountingPeriod", { params: { id }, body: { force: true } });
    return expect([close.status, close.body.message]).toEqual([200, undefined]);
  });
});
