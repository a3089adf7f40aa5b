import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { createReadyBundle, csvFile } from "../../test/bundles.ts";

const office = await anOffice();

test("failures.csv contains no formulas", async () => {
  const formulaRows = ["=1+1", "+1", "-1", "@SUM(A1)"].map((formula) => `"${formula}","=Evil, Olga",${formula}`);
  const { id } = await createReadyBundle(office, "generic", csvFile("=owners.csv", "source_id,full_name,email", ...formulaRows));
  const text = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  const lines = text.replace("\uFEFF", "").trim().split("\r\n").slice(1);
  expect(lines.length).toBe(formulaRows.length);
  for (const line of lines) for (const cell of line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? []) expect(cell).not.toMatch(/^"?[=+\-@\t\r]/);
});

test("failures.csv has every error of every row, across batches", async () => {
  const rowCount = 1_002;
  // The first row has one error and the others two, so that a batch of a thousand lines would end within a row.
  const charges = Array.from({ length: rowCount }, (_, n) => `C-${n},L-1,2026-01-01,fee,Fee ${n},${n === 0 ? "10.00" : "much"}`);
  const file = csvFile("charges.csv", "source_id,lease_source_id,date,type,label,amount", ...charges);
  const { id, counts } = await createReadyBundle(office, "generic", file);
  expect(counts.invalid + counts.blocked + counts.missing_source_data).toBe(rowCount);
  const text = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  const lines = text.trim().split("\r\n").slice(1);
  const linesByRow = Map.groupBy(lines, (line) => line.split(",")[1]!);
  expect(lines.length).toBe(2 * rowCount - 1);
  expect([...linesByRow.keys()]).toEqual(Array.from({ length: rowCount }, (_, n) => String(n + 2)));
  expect([...linesByRow.values()].map(({ length }) => length)).toEqual(Array.from({ length: rowCount }, (_, n) => (n === 0 ? 1 : 2)));
});

test("failures.csv says how many records match an ambiguous row", async () => {
  const newOffice = await anOffice();
  for (const fullName of ["Sam Sample", "Kim Double", "Kim Double"]) await newOffice.call("createTenant", { body: { fullName } });
  const { id } = await createReadyBundle(newOffice, "generic", csvFile("tenants.csv", "source_id,full_name", "T-1,Sam Sample", "T-2,Kim Double"));
  const text = await (await newOffice.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  expect(text).toMatch(/T-1,ambiguous,ambiguous,"?A record may be the same/);
  expect(text).toMatch(/T-2,ambiguous,ambiguous,"?Several records match/);
});
