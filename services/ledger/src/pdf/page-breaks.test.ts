import { describe, expect, test } from "@jest/globals";
import { BOTTOM, MARGIN, startLetter, write } from "./letter.ts";
import { startTable } from "./table.ts";

const columns = [
  { header: "Description", width: 300 },
  { header: "Amount", width: 110 },
];
const aLetter = (roomBelow: number) => Object.assign(startLetter("Office", "Report", "Report", []), { y: BOTTOM - roomBelow });
const pagesOf = ({ document }: ReturnType<typeof aLetter>) => document.bufferedPageRange().count;

describe("a page ends", () => {
  test.each([
    ["before a heading below which no row fits", 40, 2],
    ["after a heading below which a row fits", 80, 1],
  ])("%s", (_, roomBelow, pages) => {
    const letter = aLetter(roomBelow);
    startTable(letter, "Deposits in transit", columns, { cells: ["Deposit of payments", "$600.00"] });
    expect([pagesOf(letter), letter.y <= BOTTOM]).toEqual([pages, true]);
  });

  test("before a text that does not fit below the last one", () => {
    const letter = aLetter(20);
    write(letter, "The balance of the lease ".repeat(20), { width: 200 });
    expect([pagesOf(letter), letter.y > MARGIN, letter.y <= BOTTOM]).toEqual([2, true, true]);
  });
});
