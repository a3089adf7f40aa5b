/** The work of the bookkeeper of `bookkeepers-year.test.ts`. */
import { expect } from "@jest/globals";
import { openBooks, type Books } from "./bookkeeper.fixtures.ts";

/** Works through the months of 2025, with the figures of the tables in `bookkeepers-year.test.ts`, and closes each of them. */
export async function workThroughTheYear(): Promise<Books> {
  const books = await openBooks();
  const { receive, deposit, close, properties, units, tenants } = books;
  const { ann, ben, cara, dan } = tenants;
  const leases = {
    ann: await books.signLease(properties.elm, units.annsUnit, {
      tenantId: ann,
      coTenantId: ben,
      startDate: "01-01",
      rent: 1_500,
      termType: "month_to_month",
    }),
    dan: await books.signLease(properties.elm, units.dansUnit, { tenantId: dan, startDate: "01-01", rent: 1_000, lateFee: 50 }),
  };

  await books.postRent("01");
  await deposit("01-06", [await receive("01-03", ann, leases.ann, 1_500), await receive("01-04", dan, leases.dan, 1_000)]);
  await close("01");

  // Ben pays 100 more than the rent. Dan is late: the fee of February 5 is waived.
  const carasLease = await books.signLease(properties.oak, units.carasUnit, { tenantId: cara, startDate: "02-10", rent: 1_200 });
  await books.chargeDeposit(carasLease, "02-10", 1_200);
  await books.postRent("02");
  const bensPayment = await receive("02-03", ben, leases.ann, 1_600);
  const [carasRent, carasDeposit] = [await receive("02-10", cara, carasLease, 814.29), await receive("02-10", cara, carasLease, 1_200)];
  await deposit("02-17", [bensPayment, carasRent, await receive("02-14", dan, leases.dan, 1_000)]);
  await deposit("02-17", [carasDeposit], "1010");
  await books.office.call("assessLateFees", { body: { asOf: "2025-02-20" } });
  await books.giveCredit(leases.dan, "02-20", 50, "waive");
  await close("02", ["unallocated_payments"]);

  // Dan's check of March 4 is returned on March 12: the rent is late from March 5, and the fee is kept.
  await books.postRent("03");
  await books.applyCredit(bensPayment);
  const dansCheck = await receive("03-04", dan, leases.dan, 1_000);
  await deposit("03-06", [await receive("03-04", ann, leases.ann, 1_400), await receive("03-03", cara, carasLease, 1_200), dansCheck]);
  await books.returnCheck(dansCheck, "03-12", 35, 12);
  await books.office.call("assessLateFees", { body: { asOf: "2025-03-19" } });
  await deposit("03-21", [await receive("03-20", dan, leases.dan, 1_085)]);
  await close("03");

  await books.postRent("04");
  await books.giveCredit(carasLease, "04-02", 200, "concession");
  const april = [
    await receive("04-02", ann, leases.ann, 1_500),
    await receive("04-03", dan, leases.dan, 1_000),
    await receive("04-05", cara, carasLease, 1_000),
  ];
  await deposit("04-07", april);
  await close("04");

  await books.postRent("05");
  const rentOfElm1 = [await receive("05-02", ben, leases.ann, 750), await receive("05-02", ann, leases.ann, 750)];
  await deposit("05-06", [...rentOfElm1, await receive("05-01", cara, carasLease, 1_200), await receive("05-04", dan, leases.dan, 1_000)]);
  await close("05");

  // The lease of Ann and Ben is renewed, and Ann pays the first month ahead.
  await books.postRent("06");
  const june = [
    await receive("06-03", ann, leases.ann, 1_500),
    await receive("06-02", cara, carasLease, 1_200),
    await receive("06-04", dan, leases.dan, 1_000),
  ];
  await deposit("06-06", june);
  const renewal = await books.renew(leases.ann, "07-01", 1_550);
  const prepayment = await receive("06-25", ann, renewal, 1_550);
  await deposit("06-27", [prepayment]);
  await close("06", ["unallocated_payments"]);

  await books.postRent("07");
  await books.applyCredit(prepayment);
  await deposit("07-07", [await receive("07-02", dan, leases.dan, 1_000), await receive("07-03", cara, carasLease, 1_200)]);
  await close("07");

  await books.postRent("08");
  const august = [await receive("08-04", ben, renewal, 1_550), await receive("08-05", cara, carasLease, 1_200), await receive("08-04", dan, leases.dan, 1_000)];
  await deposit("08-07", august);
  const carasCredit = await receive("08-29", cara, carasLease, 1_200);
  await deposit("08-29", [carasCredit]);
  await close("08", ["unallocated_payments"]);

  // Cara leaves on September 15: the rent of the month is superseded by half of it, and the other half of her money is paid back.
  await books.postRent("09");
  const { charges } = await books.terminate(carasLease, "09-15");
  expect(charges).toMatchObject([{ amountCents: 60_000, dueDate: "2025-09-01", periodEnd: "2025-09-15" }]);
  await books.applyCredit(carasCredit);
  await books.refund(carasCredit, "09-22", 600);
  await deposit("09-05", [await receive("09-02", ann, renewal, 1_550), await receive("09-03", dan, leases.dan, 1_000)]);
  await close("09");

  await books.postRent("10");
  await deposit("10-07", [await receive("10-03", ann, renewal, 1_550)]);
  const forgottenCheck = await receive("10-04", dan, leases.dan, 1_000);
  await close("10");

  await books.postRent("11");
  await deposit("11-06", [forgottenCheck, await receive("11-03", ben, renewal, 1_550), await receive("11-04", dan, leases.dan, 1_000)]);
  await close("11");

  // Dan pays a part of December: 600 of the rent and the fee of December 5 stay open.
  await books.postRent("12");
  await deposit("12-08", [await receive("12-02", ann, renewal, 1_550), await receive("12-04", dan, leases.dan, 400)]);
  await close("12");
  return books;
}
