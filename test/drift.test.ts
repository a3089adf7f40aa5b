/** Schema drift: the ORM's schema update of a migrated database contains only known differences. */
import { describe, expect, test } from "@jest/globals";
import { openOrm } from "@freehold/kit/db/database";
import pg from "pg";
import { definitions } from "../deploy/system/databases/database-definitions.ts";
import { services } from "../deploy/system/secrets.ts";
import { running } from "./support/running.ts";

const { databaseUrls } = running();

/** Tables without entities, read and written in SQL only. */
const tablesWithoutEntities = [
  "outbox(?:_\\d)?",
  "relay_state",
  "consumer_replica",
  "consumer_share",
  "inbox(?:_\\d)?",
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
  "postponed_credit",
  "import_candidate",
  "import_decision",
  "import_dependency",
  "import_identity",
  "ledger_version",
  "transaction_era",
  "tenant_reassignment",
  "posting_hold",
  "webhook_receipt",
  "webhook_body(?:_\\d)?",
  "message_route",
  "stopped_number",
  "contact_phone",
];

/** Triggers, functions and views, which are defined in migrations only. */
const onlyInMigrations = /\bdrop (?:trigger|function|view)\b/;

const mentionsTableWithoutEntity = new RegExp(`"(?:${tablesWithoutEntities.join("|")})"`);

interface MigratedSchema {
  /** Foreign keys, checks, exclusion constraints and constraint triggers, which are defined in migrations only. */
  constraints: Set<string>;
  /** Generated columns. PostgreSQL normalizes their expression, so the ORM recreates them. */
  generatedColumns: Set<string>;
}

async function readSchema(url: string): Promise<MigratedSchema> {
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

/** Returns true if a statement drops or adds columns and all of them are generated. */
const changesOnlyGeneratedColumns = (statement: string, generated: Set<string>): boolean => {
  const columns = [...statement.matchAll(/\b(?:drop column|add) "(\w+)"/g)].map((match) => match[1]!);
  return columns.length > 0 && columns.every((column) => generated.has(column));
};

describe.each(services)("the entities of %s", (name) => {
  test("match the migrated schema", async () => {
    const { constraints, generatedColumns } = await readSchema(databaseUrls[name].owner);
    const orm = await openOrm(definitions[name], databaseUrls[name].owner);
    try {
      const sql = await orm.schema.getUpdateSchemaSQL({ wrap: false, safe: false, dropTables: true });
      const statements = sql.split(/;\n/).map((statement) => statement.trim().replace(/;$/, "").replaceAll(/\s+/g, " "));
      // PostgreSQL normalizes policies, so the ORM replaces each: the same policies are dropped and created.
      const policiesToChange = (verb: string) => statements.flatMap((statement) => new RegExp(`^${verb} policy ("\\w+" on "\\w+")`).exec(statement)?.[1] ?? []);
      expect(
        policiesToChange("drop")
          .filter((policy) => !mentionsTableWithoutEntity.test(policy))
          .toSorted(),
      ).toEqual(policiesToChange("create").toSorted());
      const isExpected = (statement: string) =>
        statement === "" ||
        mentionsTableWithoutEntity.test(statement) ||
        onlyInMigrations.test(statement) ||
        /^(?:drop|create) policy /.test(statement) ||
        changesOnlyGeneratedColumns(statement, generatedColumns) ||
        constraints.has(/ drop constraint "(\w+)"$/.exec(statement)?.[1] ?? "");
      expect(statements.filter((statement) => !isExpected(statement))).toEqual([]);
    } finally {
      await orm.close(true);
    }
  });
});
