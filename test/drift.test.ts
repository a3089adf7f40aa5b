/** The entities say what the migrations made: the ORM, asked what it would change, would change nothing that matters. */
import { describe, expect, test } from "@jest/globals";
import { openOrm } from "@freehold/kit/db/database";
import pg from "pg";
import { definitions } from "../deploy/system/databases.ts";
import { services } from "../deploy/system/secrets.ts";
import { running } from "./support/running.ts";

const { databaseUrls } = running();

/** Tables without entities: the kit's own, written and read in SQL by the kit alone, the counters of a library, and what is one statement's. */
const withoutEntities = [
  "outbox",
  "relay_lease",
  "consumer_replica",
  "consumer_share",
  "inbox",
  "parked_event",
  "scheduled_work",
  "work_request",
  "idempotency_key",
  "migration",
  "sign_in_tries",
  "short_link",
  "document_usage",
  "work_order_counter",
  "search_entry",
  "import_candidate",
  "import_decision",
  "import_dependency",
  "import_identity",
];

/** What only migrations state: triggers with their functions, and views. Entities neither declare nor need them. */
const onlyInMigrations = /\bdrop (?:trigger|function|view)\b/;

const aboutThose = new RegExp(`"(?:${withoutEntities.join("|")})"`);

interface Stated {
  /** Foreign keys, checks and exclusions: entities have no relations, and rules that the database repeats stand in migrations alone. */
  constraints: Set<string>;
  /** PostgreSQL prints the expression of a generated column otherwise than it was written, so the ORM makes it anew. */
  generatedColumns: Set<string>;
}

async function statedBy(url: string): Promise<Stated> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const constraints = await client.query<{ name: string }>(
    "select conname as name from pg_constraint where connamespace = 'public'::regnamespace and contype in ('f', 'c', 't', 'x')",
  );
  const columns = await client.query<{ name: string }>("select column_name as name from information_schema.columns where is_generated = 'ALWAYS'");
  await client.end();
  const names = (rows: { name: string }[]) => new Set(rows.map(({ name }) => name));
  return { constraints: names(constraints.rows), generatedColumns: names(columns.rows) };
}

/** Drops or adds nothing but columns that are generated. */
const isGenerated = (statement: string, generated: Set<string>): boolean => {
  const columns = [...statement.matchAll(/\b(?:drop column|add) "(\w+)"/g)].map((match) => match[1]!);
  return columns.length > 0 && columns.every((column) => generated.has(column));
};

describe.each(services)("the entities of %s", (name) => {
  test("are what the migrations made", async () => {
    const { constraints, generatedColumns } = await statedBy(databaseUrls[name].owner);
    const orm = await openOrm(definitions[name], databaseUrls[name].owner);
    try {
      const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false, safe: false, dropTables: true });
      const statements = sql.split(/;\n/).map((statement) => statement.trim().replace(/;$/, "").replaceAll(/\s+/g, " "));
      // PostgreSQL prints a policy otherwise than it was written, so the ORM replaces each: the same ones go and come.
      const policies = (verb: string) => statements.flatMap((statement) => new RegExp(`^${verb} policy ("\\w+" on "\\w+")`).exec(statement)?.[1] ?? []);
      expect(
        policies("drop")
          .filter((policy) => !aboutThose.test(policy))
          .toSorted(),
      ).toEqual(policies("create").toSorted());
      const isExpected = (statement: string) =>
        statement === "" ||
        aboutThose.test(statement) ||
        onlyInMigrations.test(statement) ||
        /^(?:drop|create) policy /.test(statement) ||
        isGenerated(statement, generatedColumns) ||
        constraints.has(/ drop constraint "(\w+)"$/.exec(statement)?.[1] ?? "");
      expect(statements.filter((statement) => !isExpected(statement))).toEqual([]);
    } finally {
      await orm.close(true);
    }
  });
});
