import { Migration } from "@mikro-orm/migrations";

/** Pending payments are found without reading all payments of the organization. */
export class PendingPayments extends Migration {
  override up(): void {
    this.addSql("set local statement_timeout = 0");
    this.addSql("create index payment_pending on payment (organization_id) where status = 'pending'");
  }
}
