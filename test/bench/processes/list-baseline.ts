/** Baseline process of lists: returns the rows of a page with their ledger balances, and the total, as JSON from handwritten statements. */
import express from "express";
import pg from "pg";

const portfolioPool = new pg.Pool({ connectionString: process.env["BASELINE_DATABASE_URL"], max: 8 });
const ledgerPool = new pg.Pool({ connectionString: process.env["BASELINE_LEDGER_URL"], max: 8 });
/** SQL texts of a list, unfiltered or with one of its filters. */
interface BaselineStatements {
  rows: string;
  count: string;
  balances?: string;
}
const statements = JSON.parse(process.env["BASELINE_STATEMENTS"]!) as Record<string, BaselineStatements>;

const app = express().disable("x-powered-by").disable("etag");
app.get("/:name/:organizationId/:offset", async ({ params: { name, organizationId, offset } }, res) => {
  const { rows: rowsSql, count: countSql, balances: balancesSql } = statements[name]!;
  const [page, totalResult] = await Promise.all([
    portfolioPool.query<{ id: string; balance_cents?: string }>({ name: `rows ${name}`, text: rowsSql, values: [organizationId, offset] }),
    portfolioPool.query<{ total: string }>({ name: `count ${name}`, text: countSql, values: [organizationId] }),
  ]);
  if (balancesSql !== undefined) {
    const ids = page.rows.map(({ id }) => id);
    const balances = await ledgerPool.query<{ id: string; balance_cents: string }>({
      name: `balances ${name}`,
      text: balancesSql,
      values: [organizationId, ids],
    });
    const balanceCentsById = new Map(balances.rows.map((row) => [row.id, row.balance_cents]));
    for (const row of page.rows) row.balance_cents = balanceCentsById.get(row.id) ?? "0";
  }
  res.json({ rows: page.rows, total: Number(totalResult.rows[0]!.total) });
});
const server = app.listen(Number(process.env["BASELINE_PORT"]), "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => server.close(() => process.exit(0)));
