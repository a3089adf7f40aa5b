import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Versions of the ledger. A line keeps the transaction that posted it, and a version the snapshot in which a report was read, so
 * that the lines of the version can be told from later ones. Lines from before this migration belong to every version.
 */
export class LedgerVersions extends Migration {
  override up(): void {
    // The constant default rewrites no row; new lines get the default that is set afterwards.
    this.addSql(`alter table journal_line add transaction_id xid8 not null default '0';
      alter table journal_line alter transaction_id set default pg_current_xact_id()`);
    this.addSql(`create table ledger_version (
      organization_id uuid not null,
      number bigint not null,
      snapshot pg_snapshot not null,
      created_at timestamptz(3) not null,
      primary key (organization_id, number)
    );
    ${rowLevelSecuritySql("ledger_version")}`);
  }
}
