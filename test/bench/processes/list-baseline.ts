/** Baseline process of lists: returns a page, its total and its ledger balances from handwritten statements as JSON. */
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["BASELINE_DATABASE_URL"], max: 8 });
const ledger = new pg.Pool({ connectionString: process.env["BASELINE_LEDGER_URL"], max: 8 });
const statements = JSON.parse(process.env["BASELINE_STATEMENTS"]!) as Record<string, { rows: string; count: string; balances?: string }>;

const app = express().disable("x-powered-by").disable("etag");
app.get("/:name/:organizationId/:offset", async ({ params: { name, organizationId, offset } }, res) => {
  const { rows, count, balances } = statements[name]!;
  const [page, totals] = await Promise.all([
    pool.query<{ id: string; balance_cents?: string }>({ name: `rows ${name}`, text: rows, values: [organizationId, offset] }),
    pool.query<{ total: string }>({ name: `count ${name}`, text: count, values: [organizationId] }),
  ]);
  if (balances !== undefined) {
    const ids = page.rows.map(({ id }) => id);
    const ledgerRows = await ledger.query<{ id: string; balance_cents: string }>({ name: `balances ${name}`, text: balances, values: [organizationId, ids] });
    const balanceById = new Map(ledgerRows.rows.map((row) => [row.id, row.balance_cents]));
    for (const row of page.rows) row.balance_cents = balanceById.get(row.id) ?? "0";
  }
  res.json({ rows: page.rows, total: Number(totals.rows[0]!.total) });
});
const server = app.listen(Number(process.env["BASELINE_PORT"]), "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => server.close(() => process.exit(0)));
