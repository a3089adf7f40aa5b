/** Insertion of many rows of an entity with one statement and one parameter, however many columns they have. */
import type { EntityMetadata } from "@mikro-orm/core";
import { now } from "../../time/clock.ts";
import { sql, type RawBuilder } from "../statement.ts";

/** Returns the statement that inserts rows of an organization. Members that a row does not have are null, or the default of the entity. */
export function insertRows({ tableName, props }: EntityMetadata, organizationId: string, rows: readonly object[]): RawBuilder<unknown> {
  const columns = props.filter(({ generated, persist }) => !generated && persist !== false);
  const columnNames = new Map(columns.map(({ name, fieldNames }) => [name, fieldNames[0]!]));
  const time = now();
  const defaults = Object.fromEntries(columns.flatMap(({ fieldNames, default: value }) => (value === undefined ? [] : [[fieldNames[0]!, value]])));
  const common = { ...defaults, organization_id: organizationId, created_at: time, updated_at: time, version: 1 };
  const membersOf = (row: object) => Object.entries(row).flatMap(([name, value]) => (value === undefined ? [] : [[columnNames.get(name)!, value] as const]));
  const records = rows.map((row) => ({ ...common, ...Object.fromEntries(membersOf(row)) }));
  const names = sql.join(columns.map(({ fieldNames }) => sql.ref(fieldNames[0]!)));
  return sql`insert into ${sql.table(tableName)} (${names}) select ${names} from jsonb_populate_recordset(null::${sql.table(tableName)}, ${JSON.stringify(records)}::jsonb)`;
}
