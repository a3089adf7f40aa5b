import { Migration } from "@mikro-orm/migrations";

/** Adds the fee that a fee of a renewal continues. */
export class ContinuedFees extends Migration {
  override up(): void {
    this.addSql(`alter table recurring_charge_rule add continues_rule_id uuid,
        add constraint recurring_charge_continues_a_rule foreign key (organization_id, continues_rule_id) references recurring_charge_rule (organization_id, id);
      create index recurring_charge_by_continued_rule on recurring_charge_rule (organization_id, continues_rule_id) where continues_rule_id is not null`);
  }
}
