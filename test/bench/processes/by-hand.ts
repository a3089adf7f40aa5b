/** What the lists are held against: a page and its total by two statements written by hand, as one object of JSON. Runs as a process of its own. */
import express from "express";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env["BY_HAND_DATABASE_URL"], max: 8 });
const statements = JSON.parse(process.env["BY_HAND_STATEMENTS"]!) as Record<string, { rows: string; count: string }>;

const app = express().disable("x-powered-by").disable("etag");
app.get("/:name/:organizationId/:offset", async ({ params: { name, organizationId, offset } }, res) => {
  const { rows, count } = statements[name]!;
  const [found, counted] = await Promise.all([
    pool.query({ name: `rows ${name}`, text: rows, values: [organizationId, offset] }),
    pool.query<{ total: string }>({ name: `count ${name}`, text: count, values: [organizationId] }),
  ]);
  res.json({ rows: found.rows, total: Number(counted.rows[0]!.total) });
});
const server = app.listen(Number(process.env["BY_HAND_PORT"]), "127.0.0.1", () => process.send?.("ready"));
process.on("disconnect", () => server.close(() => process.exit(0)));
