/** Replacement for psql: executes the statements of standard input in order and stops at the first error. */
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { Client } from "pg";

const { values } = parseArgs({
  options: { username: { type: "string" }, dbname: { type: "string" }, set: { type: "string", short: "v", multiple: true } },
});
const client = new Client({ user: values.username, database: values.dbname });
await client.connect();
try {
  for (const statement of (await text(process.stdin)).split(/;\n/)) if (statement.trim()) await client.query(statement);
} finally {
  await client.end();
}
