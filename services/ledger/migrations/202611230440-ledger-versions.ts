import { rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/**
 * Versions of the ledger. A line keeps the transaction that posted it, and a version the snapshot in which a report was read, so
 * that the lines of the version can be distinguished from later ones. Lines from before this migration belong to every version.
 *
 * Transaction ids belong to a database cluster. In another cluster, where a dump was restored, `begin_transaction_era` starts a
 * new era: lines of an earlier era belong to every version of a later one.
 */
export class LedgerVersions extends Migration {
  override up(): void {
    // Constant defaults rewrite no row; new lines get the default that is set afterwards.
    this.addSql(`alter table journal_line add transaction_id xid8 not null default '0', add transaction_era smallint not null default 0;
      alter table journal_line alter transaction_id set default pg_current_xact_id()`);
    this.addSql(`create table ledger_version (
      organization_id uuid not null,
      number bigint not null,
      snapshot pg_snapshot not null,
      snapshot_era smallint not null default 0,
      created_at timestamptz(3) not null,
      primary key (organization_id, number)
    );
    ${rowLevelSecuritySql("ledger_version")}`);
    this.addSql(`create table transaction_era (
      era smallint not null primary key,
      cluster_id bigint not null
    );
    insert into transaction_era select 0, system_identifier from pg_control_system()`);
    this.addSql(`create function begin_transaction_era(cluster bigint) returns void language plpgsql as $$
    declare
      latest transaction_era;
    begin
      lock table transaction_era in exclusive mode;
      select * into latest from transaction_era order by era desc limit 1;
      if latest.cluster_id = cluster then return; end if;
      insert into transaction_era values (latest.era + 1, cluster);
      execute format('alter table journal_line alter transaction_era set default %s', latest.era + 1);
      execute format('alter table ledger_version alter snapshot_era set default %s', latest.era + 1);
    end $$`);
  }
}
