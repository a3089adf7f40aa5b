/**
 * A bookkeeper's year: the books of 2025 of two properties, closed month by month, and compared with figures worked out by hand.
 *
 * Rents (dollars; late fees of 50 after three days of grace on Dan's lease only):
 * - Elm 1: Ann with her co-tenant Ben, 1,500 from January, month to month; renewed on July 1 for 1,550.
 * - Elm 2: Dan, 1,000 from January.
 * - Oak 1: Cara, 1,200 from February 10; terminated on September 15. February: 19 of 28 days, 22,800 / 28 = 814.29.
 *   September: 15 of 30 days, 600.
 *
 * Rent that is charged, less what is taken back:
 *   month   Elm 1   Elm 2   Oak 1    charged    taken back                     total to date
 *   01      1,500   1,000        –   2,500.00                                       2,500.00
 *   02      1,500   1,000   814.29   3,314.29                                       5,814.29
 *   03      1,500   1,000    1,200   3,700.00                                       9,514.29
 *   04      1,500   1,000    1,200   3,700.00   200 concession                     13,014.29
 *   05      1,500   1,000    1,200   3,700.00                                      16,714.29
 *   06      1,500   1,000    1,200   3,700.00                                      20,414.29
 *   07      1,550   1,000    1,200   3,750.00                                      24,164.29
 *   08      1,550   1,000    1,200   3,750.00                                      27,914.29
 *   09      1,550   1,000    1,800   4,350.00   1,200 superseded by 600            31,064.29
 *   10      1,550   1,000        –   2,550.00                                      33,614.29
 *   11      1,550   1,000        –   2,550.00                                      36,164.29
 *   12      1,550   1,000        –   2,550.00                                      38,714.29
 *
 * Money that is received, and the part of it that is deposited in the operating bank account (1000):
 *   month   received                                                   sum        to 1000    from 1000   balance of 1000
 *   01      Ann 1,500, Dan 1,000                                       2,500.00   2,500.00                      2,500.00
 *   02      Ben 1,600, Dan 1,000, Cara 814.29 + 1,200 (to 1010)        4,614.29   3,414.29                      5,914.29
 *   03      Ann 1,400, Cara 1,200, Dan 1,000 (returned) + 1,085        4,685.00   4,685.00   1,000 NSF          9,599.29
 *   04      Ann 1,500, Dan 1,000, Cara 1,000                           3,500.00   3,500.00                     13,099.29
 *   05      Ann 750, Ben 750, Cara 1,200, Dan 1,000                    3,700.00   3,700.00                     16,799.29
 *   06      Ann 1,500 + 1,550 ahead, Cara 1,200, Dan 1,000             5,250.00   5,250.00                     22,049.29
 *   07      Dan 1,000, Cara 1,200                                      2,200.00   2,200.00                     24,249.29
 *   08      Ben 1,550, Cara 1,200 + 1,200 ahead, Dan 1,000             4,950.00   4,950.00                     29,199.29
 *   09      Ann 1,550, Dan 1,000                                       2,550.00   2,550.00   600 refund        31,149.29
 *   10      Ann 1,550, Dan 1,000 (deposited in 11)                     2,550.00   1,550.00                     32,699.29
 *   11      Ben 1,550, Dan 1,000                                       2,550.00   3,550.00                     36,249.29
 *   12      Ann 1,550, Dan 400                                         1,950.00   1,950.00                     38,199.29
 */
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  cents,
  readAccount,
  readStatement,
  readStatementCsv,
  readTrialBalance,
  type Books,
  type MonthOfAccount,
  type StatementLine,
} from "./bookkeeper.fixtures.ts";
import { workThroughTheYear } from "./bookkeepers-year.fixtures.ts";
import { findViolations } from "./invariants.queries.ts";
import { withOwnerConnection } from "./ledger.fixtures.ts";

let books: Books;
beforeAll(async () => void (books = await workThroughTheYear()));

/** Months without a line of the account are left out. */
const generalLedger: Record<string, MonthOfAccount[]> = {
  "1000": [
    ["01", 2_500, 0, 2_500],
    ["02", 3_414.29, 0, 5_914.29],
    ["03", 4_685, 1_000, 9_599.29],
    ["04", 3_500, 0, 13_099.29],
    ["05", 3_700, 0, 16_799.29],
    ["06", 5_250, 0, 22_049.29],
    ["07", 2_200, 0, 24_249.29],
    ["08", 4_950, 0, 29_199.29],
    ["09", 2_550, 600, 31_149.29],
    ["10", 1_550, 0, 32_699.29],
    ["11", 3_550, 0, 36_249.29],
    ["12", 1_950, 0, 38_199.29],
  ],
  // Debits: received. Credits: deposited. March: the reversal credits 1,000, and the bank returns 1,000, 4,685 + 1,000 on either side.
  "1050": [
    ["01", 2_500, 2_500, 0],
    ["02", 4_614.29, 4_614.29, 0],
    ["03", 5_685, 5_685, 0],
    ["04", 3_500, 3_500, 0],
    ["05", 3_700, 3_700, 0],
    ["06", 5_250, 5_250, 0],
    ["07", 2_200, 2_200, 0],
    ["08", 4_950, 4_950, 0],
    ["09", 2_550, 2_550, 0],
    ["10", 2_550, 1_550, 1_000],
    ["11", 2_550, 3_550, 0],
    ["12", 1_950, 1_950, 0],
  ],
  // Debits: rent charged, and in 02: deposit 1,200, late fee 50; 03: late fee 50, NSF fee 35, returned 1,000; 12: late fee 50.
  // Credits: received, and in 02: less Ben's 100 of credit, plus 50 waived; 03: plus his 100; 04: plus 200 concession;
  // 06: less 1,550 ahead; 07: plus these 1,550; 08: less 1,200 ahead; 09: plus 600 of these, plus 1,200 superseded.
  "1100": [
    ["01", 2_500, 2_500, 0],
    ["02", 4_564.29, 4_564.29, 0],
    ["03", 4_785, 4_785, 0],
    ["04", 3_700, 3_700, 0],
    ["05", 3_700, 3_700, 0],
    ["06", 3_700, 3_700, 0],
    ["07", 3_750, 3_750, 0],
    ["08", 3_750, 3_750, 0],
    ["09", 4_350, 4_350, 0],
    ["10", 2_550, 2_550, 0],
    ["11", 2_550, 2_550, 0],
    ["12", 2_600, 1_950, 650],
  ],
  // Credit of Ben; of Ann for July; of Cara, half of it for September, half refunded.
  "2150": [
    ["02", 0, 100, -100],
    ["03", 100, 0, 0],
    ["06", 0, 1_550, -1_550],
    ["07", 1_550, 0, 0],
    ["08", 0, 1_200, -1_200],
    ["09", 1_200, 0, 0],
  ],
  "4000": [
    ["01", 0, 2_500, -2_500],
    ["02", 0, 3_314.29, -5_814.29],
    ["03", 0, 3_700, -9_514.29],
    ["04", 200, 3_700, -13_014.29],
    ["05", 0, 3_700, -16_714.29],
    ["06", 0, 3_700, -20_414.29],
    ["07", 0, 3_750, -24_164.29],
    ["08", 0, 3_750, -27_914.29],
    ["09", 1_200, 4_350, -31_064.29],
    ["10", 0, 2_550, -33_614.29],
    ["11", 0, 2_550, -36_164.29],
    ["12", 0, 2_550, -38_714.29],
  ],
  // February waived, March paid, December open.
  "4030": [
    ["02", 50, 50, 0],
    ["03", 0, 50, -50],
    ["12", 0, 50, -100],
  ],
  "4040": [["03", 0, 35, -35]],
};

// Rent on the cash basis is the money that settles rent. March: Ben's 100, 1,400, 1,200, 1,000 and 1,000 again, less 1,000 returned.
const rentReceived: MonthOfAccount[] = [
  ["01", 0, 2_500, -2_500],
  ["02", 0, 3_314.29, -5_814.29],
  ["03", 1_000, 4_700, -9_514.29],
  ["04", 0, 3_500, -13_014.29],
  ["05", 0, 3_700, -16_714.29],
  ["06", 0, 3_700, -20_414.29],
  ["07", 0, 3_750, -24_164.29],
  ["08", 0, 3_750, -27_914.29],
  ["09", 0, 3_150, -31_064.29],
  ["10", 0, 2_550, -33_614.29],
  ["11", 0, 2_550, -36_164.29],
  ["12", 0, 1_950, -38_114.29],
];

const inCents = (months: readonly MonthOfAccount[]) => months.map(([month, ...amounts]) => [month, ...amounts.map(cents)]);

/** Each line is the day, the kind, the amount, debits positive, and the balance. */
const statements: Record<"ann" | "ben" | "cara" | "dan", StatementLine[]> = {
  // Charges 6 × 1,500 + 6 × 1,550. Ben's payments settle charges of Ann, so they are on her statement.
  ann: [
    ["01-01", "charge", 1_500, 1_500],
    ["01-03", "payment", -1_500, 0],
    ["02-01", "charge", 1_500, 1_500],
    ["02-03", "payment", -1_500, 0],
    ["03-01", "charge", 1_500, 1_500],
    ["03-01", "payment", -100, 1_400],
    ["03-04", "payment", -1_400, 0],
    ["04-01", "charge", 1_500, 1_500],
    ["04-02", "payment", -1_500, 0],
    ["05-01", "charge", 1_500, 1_500],
    ["05-02", "payment", -750, 750],
    ["05-02", "payment", -750, 0],
    ["06-01", "charge", 1_500, 1_500],
    ["06-03", "payment", -1_500, 0],
    ["06-25", "payment", -1_550, -1_550],
    ["07-01", "charge", 1_550, 0],
    ["08-01", "charge", 1_550, 1_550],
    ["08-04", "payment", -1_550, 0],
    ["09-01", "charge", 1_550, 1_550],
    ["09-02", "payment", -1_550, 0],
    ["10-01", "charge", 1_550, 1_550],
    ["10-03", "payment", -1_550, 0],
    ["11-01", "charge", 1_550, 1_550],
    ["11-03", "payment", -1_550, 0],
    ["12-01", "charge", 1_550, 1_550],
    ["12-02", "payment", -1_550, 0],
  ],
  // Ben owes nothing himself: his statement has the credit of 100 that he left in February and that Ann's rent of March used.
  ben: [
    ["02-03", "payment", -100, -100],
    ["03-01", "payment", 100, 0],
  ],
  cara: [
    ["02-10", "charge", 814.29, 814.29],
    ["02-10", "charge", 1_200, 2_014.29],
    ["02-10", "payment", -814.29, 1_200],
    ["02-10", "payment", -1_200, 0],
    ["03-01", "charge", 1_200, 1_200],
    ["03-03", "payment", -1_200, 0],
    ["04-01", "charge", 1_200, 1_200],
    ["04-02", "credit", -200, 1_000],
    ["04-05", "payment", -1_000, 0],
    ["05-01", "charge", 1_200, 1_200],
    ["05-01", "payment", -1_200, 0],
    ["06-01", "charge", 1_200, 1_200],
    ["06-02", "payment", -1_200, 0],
    ["07-01", "charge", 1_200, 1_200],
    ["07-03", "payment", -1_200, 0],
    ["08-01", "charge", 1_200, 1_200],
    ["08-05", "payment", -1_200, 0],
    ["08-29", "payment", -1_200, -1_200],
    ["09-01", "charge", 1_200, 0],
    ["09-01", "reversal", -1_200, -1_200],
    ["09-01", "charge", 600, -600],
    ["09-22", "refund", 600, 0],
  ],
  // Open at the end: 600 of the rent of December and its late fee of 50.
  dan: [
    ["01-01", "charge", 1_000, 1_000],
    ["01-04", "payment", -1_000, 0],
    ["02-01", "charge", 1_000, 1_000],
    ["02-05", "charge", 50, 1_050],
    ["02-14", "payment", -1_000, 50],
    ["02-20", "credit", -50, 0],
    ["03-01", "charge", 1_000, 1_000],
    ["03-04", "payment", -1_000, 0],
    ["03-05", "charge", 50, 50],
    ["03-12", "reversal", 1_000, 1_050],
    ["03-12", "charge", 35, 1_085],
    ["03-20", "payment", -1_085, 0],
    ["04-01", "charge", 1_000, 1_000],
    ["04-03", "payment", -1_000, 0],
    ["05-01", "charge", 1_000, 1_000],
    ["05-04", "payment", -1_000, 0],
    ["06-01", "charge", 1_000, 1_000],
    ["06-04", "payment", -1_000, 0],
    ["07-01", "charge", 1_000, 1_000],
    ["07-02", "payment", -1_000, 0],
    ["08-01", "charge", 1_000, 1_000],
    ["08-04", "payment", -1_000, 0],
    ["09-01", "charge", 1_000, 1_000],
    ["09-03", "payment", -1_000, 0],
    ["10-01", "charge", 1_000, 1_000],
    ["10-04", "payment", -1_000, 0],
    ["11-01", "charge", 1_000, 1_000],
    ["11-04", "payment", -1_000, 0],
    ["12-01", "charge", 1_000, 1_000],
    ["12-04", "payment", -400, 600],
    ["12-05", "charge", 50, 650],
  ],
};

describe("at the end of the year", () => {
  // Totals: Ann 9,000 + 9,300. Cara 814.29 + 1,200 + 7 × 1,200 + 600 + 600. Dan 12,000 + 3 × 50 + 35 + 1,000 returned; 650 open.
  test.each([
    ["ann" as const, 18_300, 18_300, 0],
    ["ben" as const, 100, 100, 0],
    ["cara" as const, 11_614.29, 11_614.29, 0],
    ["dan" as const, 13_185, 12_535, 650],
  ])("the statement of %s shows each charge, payment and credit of the year", async (name, debits, credits, balance) => {
    const statement = await readStatement(books, books.tenants[name]);
    expect(statement.lines).toEqual(statements[name].map(([day, kind, ...amounts]) => [`2025-${day}`, kind, ...amounts.map(cents)]));
    expect(statement.totals).toEqual([0, cents(debits), cents(credits), cents(balance)]);
  });

  test("the statement of Dan as CSV has the same lines between the opening and the closing balance", async () => {
    expect(await readStatementCsv(books, books.tenants.dan)).toEqual([
      ["2025-01-01", "balance", 0, 0],
      ...statements.dan.map(([day, kind, ...amounts]) => [`2025-${day}`, kind, ...amounts.map(cents)]),
      ["2025-12-31", "balance", 0, cents(650)],
    ]);
  });

  test.each(Object.entries(generalLedger))("the general ledger of %s has the figures of each month", async (code, expected) => {
    expect(await readAccount(books, code)).toEqual(inCents(expected));
  });

  test("the general ledger of rent on the cash basis has the money that settled rent", async () => {
    expect(await readAccount(books, "4000", "cash")).toEqual(inCents(rentReceived));
  });

  // Debits and credits are the sums of the tables above; 12.00 is the bank's fee for the returned check, which the company still owes.
  test("the trial balance on the accrual basis has the sums of the year", async () => {
    expect(await readTrialBalance(books, { basis: "accrual" })).toEqual({
      "1000": [39_799_29, 1_600_00, 38_199_29],
      "1010": [1_200_00, 0, 1_200_00],
      "1050": [41_999_29, 41_999_29, 0],
      "1100": [42_499_29, 41_849_29, 650_00],
      "2000": [0, 12_00, -12_00],
      "2100": [0, 1_200_00, -1_200_00],
      "2110": [1_200_00, 1_200_00, 0],
      "2150": [2_850_00, 2_850_00, 0],
      "4000": [1_400_00, 40_114_29, -38_714_29],
      "4030": [50_00, 150_00, -100_00],
      "4040": [0, 35_00, -35_00],
      "5050": [12_00, 0, 12_00],
    });
  });

  // 38,199.29 + 1,200 in the banks = 1,200 deposit held + 38,114.29 rent + 50 late fee + 35 NSF fee. No receivable, no payable.
  test("the trial balance on the cash basis has only what was received and paid", async () => {
    expect(await readTrialBalance(books, { basis: "cash" })).toEqual({
      "1000": [39_799_29, 1_600_00, 38_199_29],
      "1010": [1_200_00, 0, 1_200_00],
      "1050": [41_999_29, 41_999_29, 0],
      "2100": [0, 1_200_00, -1_200_00],
      "2110": [1_200_00, 1_200_00, 0],
      "2150": [2_850_00, 2_850_00, 0],
      "4000": [1_000_00, 39_114_29, -38_114_29],
      "4030": [0, 50_00, -50_00],
      "4040": [0, 35_00, -35_00],
    });
  });

  // Oak: rent 814.29 + 6 × 1,200 - 200 + 600 = 8,414.29, all received. Elm: rent 18,300 + 12,000; received 18,300 + 11,485.
  test("the books of each property balance, and sum to the whole but for the company's bank fee", async () => {
    const closing = async (propertyId: string) =>
      Object.entries(await readTrialBalance(books, { basis: "accrual", propertyId })).flatMap(([code, [, , balance]]) => (balance ? [[code, balance]] : []));
    expect(await closing(books.properties.oak)).toEqual([
      ["1000", 8_414_29],
      ["1010", 1_200_00],
      ["2100", -1_200_00],
      ["4000", -8_414_29],
    ]);
    expect(await closing(books.properties.elm)).toEqual([
      ["1000", 29_785_00],
      ["1100", 650_00],
      ["4000", -30_300_00],
      ["4030", -100_00],
      ["4040", -35_00],
    ]);
  });

  test("the books violate no invariant", async () => {
    expect(await withOwnerConnection(books.office, findViolations)).toEqual([]);
  });
});
