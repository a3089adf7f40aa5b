import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Credits that reduce charges. A credit never changes except by its reversal, which is final. */
export class ChargeCredits extends Migration {
  override up(): void {
    this.addSql(`create table charge_credit (${orgColumnsSql},
      charge_id uuid not null,
      amount_cents bigint not null,
      reason text not null,
      memo text,
      credited_on date not null,
      entry_id uuid not null,
      reversed_at timestamptz(3),
      reversal_entry_id uuid,
      constraint charge_credit_amount_positive check (amount_cents > 0),
      constraint charge_credit_reason_known check (reason in ('waive', 'concession', 'correction', 'other')),
      constraint charge_credit_reversed_by_an_entry check ((reversed_at is null) = (reversal_entry_id is null)),
      constraint charge_credit_of_a_charge foreign key (organization_id, charge_id) references charge (organization_id, id),
      constraint charge_credit_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id),
      constraint charge_credit_has_reversed foreign key (organization_id, reversal_entry_id) references journal_entry (organization_id, id)
    );
    create index charge_credit_by_charge on charge_credit (organization_id, charge_id);
    ${rowLevelSecuritySql("charge_credit")}`);
    this.addSql(`create function refuse_change_of_credit() returns trigger language plpgsql as $$
    begin
      if old.reversed_at is not null or (new.organization_id, new.id, new.charge_id, new.amount_cents, new.reason, new.memo, new.credited_on, new.entry_id)
          is distinct from (old.organization_id, old.id, old.charge_id, old.amount_cents, old.reason, old.memo, old.credited_on, old.entry_id) then
        raise exception 'a credit changes only by its reversal, which is final' using errcode = 'insufficient_privilege';
      end if;
      return new;
    end $$;
    create trigger charge_credit_is_final before update on charge_credit for each row execute function refuse_change_of_credit()`);
  }
}
