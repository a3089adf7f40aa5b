import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Diagnostics that have been raised, so that each is published once. Every existing ledger is checked from now on. */
export class Diagnostics extends Migration {
  override up(): void {
    this.addSql(`create table raised_diagnostic (${orgColumnsSql},
      key text not null,
      is_raised boolean not null,
      constraint raised_diagnostic_once unique (organization_id, key)
    );
    ${rowLevelSecuritySql("raised_diagnostic")}`);
    this.addSql(`alter table book no force row level security;
      insert into scheduled_work (job, organization_id, next_run_at) select 'raiseDiagnostics', organization_id, now() from book on conflict do nothing;
      alter table book force row level security`);
  }
}
