import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/office.ts";
import { aFile, aReadyBundle } from "../../test/bundles.ts";

const office = await anOffice();

test("failures.csv has no cell that a spreadsheet takes for a formula", async () => {
  const rows = ["=1+1", "+1", "-1", "@SUM(A1)"].map((start) => `"${start}","=Evil, Olga",${start}`);
  const { id } = await aReadyBundle(office, "generic", aFile("=owners.csv", "source_id,full_name,email", ...rows));
  const text = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  const lines = text.replace("\uFEFF", "").trim().split("\r\n").slice(1);
  expect(lines.length).toBe(rows.length);
  for (const line of lines) for (const cell of line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? []) expect(cell).not.toMatch(/^"?[=+\-@\t\r]/);
});

test("failures.csv has every reason of every row, however many rows there are", async () => {
  const rows = 1_002;
  // Each row has one reason but the first, so that a thousand lines end in the middle of a row's two.
  const charges = Array.from({ length: rows }, (_, at) => `C-${at},L-1,2026-01-01,fee,Fee ${at},${at === 0 ? "10.00" : "much"}`);
  const all = aFile("charges.csv", "source_id,lease_source_id,date,type,label,amount", ...charges);
  const { id, counts } = await aReadyBundle(office, "generic", all);
  expect(counts.invalid + counts.blocked + counts.missing_source_data).toBe(rows);
  const text = await (await office.raw("GET", `/api/import-bundles/${id}/failures.csv`)).text();
  const lines = text.trim().split("\r\n").slice(1);
  const reasons = Map.groupBy(lines, (line) => line.split(",")[1]!);
  expect(lines.length).toBe(2 * rows - 1);
  expect([...reasons.keys()]).toEqual(Array.from({ length: rows }, (_, at) => String(at + 2)));
  expect([...reasons.values()].map(({ length }) => length)).toEqual(Array.from({ length: rows }, (_, at) => (at === 0 ? 1 : 2)));
});
