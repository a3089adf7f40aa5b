/** What the lists are held against: a page, its total and what it shows of the books by statements written by hand, as one object of JSON. Runs as a process of its own. */
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["BY_HAND_DATABASE_URL"], max: 8 });
const ledger = new pg.Pool({ connectionString: process.env["BY_HAND_LEDGER_URL"], max: 8 });
const statements = JSON.parse(process.env["BY_HAND_STATEMENTS"]!) as Record<string, { rows: string; count: string; money?: string }>;

const app = express().disable("x-powered-by").disable("etag");
app.get("/:name/:organizationId/:offset", async ({ params: { name, organizationId, offset } }, res) => {
  const { rows, count, money } = statements[name]!;
  const [found, counted] = await Promise.all([
    pool.query<{ id: string; balance_cents?: string }>({ name: `rows ${name}`, text: rows, values: [organizationId, offset] }),
    pool.query<{ total: string }>({ name: `count ${name}`, text: count, values: [organizationId] }),
  ]);
  if (money !== undefined) {
    const ids = found.rows.map(({ id }) => id);
    const open = await ledger.query<{ id: string; balance_cents: string }>({ name: `money ${name}`, text: money, values: [organizationId, ids] });
    const balances = new Map(open.rows.map((row) => [row.id, row.balance_cents]));
    for (const row of found.rows) row.balance_cents = balances.get(row.id) ?? "0";
  }
  res.json({ rows: found.rows, total: Number(counted.rows[0]!.total) });
});
const server = app.listen(Number(process.env["BY_HAND_PORT"]), "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => server.close(() => process.exit(0)));
