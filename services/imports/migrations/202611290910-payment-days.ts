import { Migration } from "@mikro-orm/migrations";

/** Day on which the payment of a candidate was received: payments are written in the order of their receipt. */
export class PaymentDays extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql(`alter table import_candidate add column payment_day text collate "C"
      generated always as (case when entity_type = 'payment' then data ->> 'received_date' end) stored`);
    this.addSql(
      "create index import_candidate_by_payment_day on import_candidate (organization_id, bundle_id, payment_day, position) where payment_day is not null",
    );
  }
}
