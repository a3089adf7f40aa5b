import { Migration } from "@mikro-orm/migrations";

const normalized = (column: string) => `lower(trim(regexp_replace(${column}, '[[:space:][:punct:]]+', ' ', 'g')))`;
const matchName = (table: string, column: string) => `alter table ${table} add column match_name text generated always as (${normalized(column)}) stored;
  create index ${table}_by_match_name on ${table} (organization_id, match_name) where deleted_at is null;`;
const sameEmail = (table: string) => `alter table ${table} add column same_email text generated always as (lower(email)) stored;
  create index ${table}_by_same_email on ${table} (organization_id, same_email) where deleted_at is null;`;

/**
 * Generated columns by which imports find existing records. PostgreSQL does not use an expression index under row-level security,
 * since the expression is not leakproof.
 */
export class MatchKeys extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql(matchName("tenant", "full_name"));
    for (const [table, column] of [
      ["owner", "full_name"],
      ["vendor", "name"],
    ] as const) {
      this.addSql(matchName(table, column));
      this.addSql(sameEmail(table));
    }
    this.addSql(matchName("property", "name"));
    this.addSql(`alter table property add column match_address text generated always as (${normalized("street_line1")} || '/' || left(postal_code, 5)) stored;
      create index property_by_match_address on property (organization_id, match_address) where deleted_at is null`);
    this.addSql(`alter table unit add column same_number text generated always as (lower(unit_number)) stored;
      drop index unit_number_once_in_property;
      create unique index unit_number_once_in_property on unit (organization_id, property_id, same_number) where deleted_at is null`);
  }
}
