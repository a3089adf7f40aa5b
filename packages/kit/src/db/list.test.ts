import { afterAll, expect, test } from "@jest/globals";
import pg from "pg";
import { systemPrincipal } from "../auth/principal.ts";
import { listPage } from "./list.ts";
import { OrgDb, type Database, type Waiter } from "./org-db.ts";
import { sql } from "./statement.ts";

/** Pool whose server refuses connections. */
const pool = new pg.Pool({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
afterAll(() => pool.end());

const listAll = (waiter?: Waiter) =>
  listPage(
    new OrgDb({ pool, constraints: {} } as unknown as Database, systemPrincipal("00000000-0000-7000-8000-000000000001"), { requestId: null, waiter }),
    { page: 1, pageSize: 20, sortBy: "name", sortDirection: "asc" },
    { select: sql`v.id`, from: sql`vendor v`, where: [sql`true`], sorts: { name: sql`v.name` }, table: "v" },
  );

test("a list is unavailable while the database is", async () => {
  await expect(listAll()).rejects.toMatchObject({ status: 503, headers: { "Retry-After": expect.any(String) } });
});

test("a list is not read for a caller who has left", async () => {
  await expect(listAll({ hasLeft: () => true })).rejects.toMatchObject({ status: 499 });
});
