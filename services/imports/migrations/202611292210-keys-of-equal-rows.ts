import { Migration } from "@mikro-orm/migrations";

/**
 * Adds the key of charges, payments, expenses and work orders without source ids to their identities: the derived id without its number, by which a
 * later import finds the records of all equal rows.
 */
export class KeysOfEqualRows extends Migration {
  override up(): void {
    this.addSql(`alter table import_identity add column equal_rows_key text generated always as (
      case when entity_type in ('charge', 'payment', 'expense', 'work_order') and left(source_id, 1) = '~' then regexp_replace(source_id, '[0-9]+$', '') end) stored`);
    this.addSql(`create index import_identity_by_equal_rows on import_identity (organization_id, namespace, entity_type, equal_rows_key)
      where equal_rows_key is not null`);
  }
}
