import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Deposits of payments at a bank. A payment refers to its only deposit that is not voided. */
export class BankDeposits extends Migration {
  override up(): void {
    this.addSql(`create table bank_deposit (${orgColumnsSql},
      bank_account_id uuid not null,
      deposited_on date not null,
      amount_cents bigint not null,
      status text not null,
      entry_id uuid not null,
      voided_at timestamptz(3),
      void_reason text,
      constraint bank_deposit_amount_positive check (amount_cents > 0),
      constraint bank_deposit_voided_at_a_time check ((status = 'voided') = (voided_at is not null)),
      constraint bank_deposit_to_an_account foreign key (organization_id, bank_account_id) references category (organization_id, id),
      constraint bank_deposit_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index bank_deposit_by_day on bank_deposit (organization_id, deposited_on, id);
    ${rowLevelSecuritySql("bank_deposit")}`);
    this.addSql(`create table bank_deposit_payment (${orgColumnsSql},
      deposit_id uuid not null,
      payment_id uuid not null,
      constraint bank_deposit_payment_of_a_deposit foreign key (organization_id, deposit_id) references bank_deposit (organization_id, id),
      constraint bank_deposit_payment_is_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id)
    );
    create unique index bank_deposit_payment_once on bank_deposit_payment (organization_id, deposit_id, payment_id);
    create index bank_deposit_payment_by_payment on bank_deposit_payment (organization_id, payment_id);
    ${rowLevelSecuritySql("bank_deposit_payment")}`);
    this.addSql(`alter table payment add bank_deposit_id uuid,
      add constraint payment_in_a_deposit foreign key (organization_id, bank_deposit_id) references bank_deposit (organization_id, id)`);
  }
}
