import { Migration } from "@mikro-orm/migrations";

/** Credits of charges that a security deposit has paid are collected amounts, which management fees count. */
export class DepositSettlementsInFees extends Migration {
  override up(): void {
    this.addSql(`alter table management_fee_base add column credit_id uuid,
      add constraint management_fee_base_of_a_credit foreign key (organization_id, credit_id) references charge_credit (organization_id, id)`);
    this.addSql(`create index charge_credit_paid_by_deposit on charge_credit (organization_id, charge_id) where security_deposit_id is not null`);
  }
}
