import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

/** Refunds of credit to the payer, and the refunded amount of each payment. */
export class Refunds extends Migration {
  override up(): void {
    this.addSql(`alter table payment add refunded_cents bigint not null default 0,
      add constraint payment_never_over_refunded check (refunded_cents >= 0 and unallocated_cents + refunded_cents <= amount_cents)`);
    this.addSql(`create table payment_refund (${orgColumnsSql},
      payment_id uuid not null,
      amount_cents bigint not null,
      method text not null,
      bank_account_id uuid not null,
      memo text,
      refunded_at timestamptz(3) not null,
      refunded_on date not null,
      entry_id uuid not null,
      constraint payment_refund_amount_positive check (amount_cents > 0),
      constraint payment_refund_of_a_payment foreign key (organization_id, payment_id) references payment (organization_id, id),
      constraint payment_refund_from_an_account foreign key (organization_id, bank_account_id) references category (organization_id, id),
      constraint payment_refund_has_posted foreign key (organization_id, entry_id) references journal_entry (organization_id, id)
    );
    create index payment_refund_by_payment on payment_refund (organization_id, payment_id);
    ${rowLevelSecuritySql("payment_refund")}`);
  }
}
