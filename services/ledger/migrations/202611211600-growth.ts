import { orgColumnsSql, wall } from "@freehold/kit/entity";
import { Migration } from "@mikro-orm/migrations";

/** What keeps lists as fast in an organization of millions of lines as in one of thousands. */
export class Growth extends Migration {
  override up(): void {
    // None of these is touched by a payment that is recorded and allocated at once.
    this.addSql(`create index payment_with_credit on payment (organization_id, received_at) where unallocated_cents > 0;
      create index payment_by_check on payment (organization_id, check_number) where check_number is not null;
      create index journal_entry_drafts on journal_entry (organization_id) where status = 'draft';
      create index lease_copy_by_property on lease_copy (organization_id, property_id)`);
    this.addSql(`create index charge_open on charge (organization_id, due_date) include (balance_cents) where balance_cents > 0`);
    this.addSql(`create table settled_count (${orgColumnsSql},
      list text not null,
      through uuid not null,
      rows bigint not null,
      amount_cents bigint not null
    );
    create unique index settled_count_one_a_list on settled_count (organization_id, list);
    ${wall("settled_count")}`);
  }
}
