/** Baseline process of payment reads: Express with one prepared statement for a payment, and two for a page of payments and their count. */
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["BASELINE_DATABASE_URL"], max: 8 });
const statements = JSON.parse(process.env["BASELINE_STATEMENTS"]!) as Record<"read" | "rows" | "count", string>;
const organizationId = process.env["BASELINE_ORGANIZATION"]!;

const app = express().disable("x-powered-by").disable("etag");
app.get("/payments/:id", async (req, res) => {
  const { rows } = await pool.query({ name: "read", text: statements.read, values: [organizationId, req.params.id] });
  res.json({ payment: rows[0] });
});
app.get("/payments", async (_req, res) => {
  const [page, countResult] = await Promise.all([
    pool.query({ name: "rows", text: statements.rows, values: [organizationId, 20, 0] }),
    pool.query<{ total: string }>({ name: "count", text: statements.count, values: [organizationId] }),
  ]);
  res.json({ payments: page.rows, total: Number(countResult.rows[0]!.total) });
});
const server = app.listen(Number(process.env["BASELINE_PORT"]), "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => server.close(() => process.exit(0)));
