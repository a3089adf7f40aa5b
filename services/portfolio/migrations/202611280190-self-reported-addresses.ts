import { Migration } from "@mikro-orm/migrations";

/**
 * Adds whether the e-mail address and the phone number of a vendor were entered by the vendor in the portal. Nobody knows it of existing ones: those
 * of vendors with a portal user count as entered by the vendor.
 */
export class SelfReportedAddresses extends Migration {
  override up(): void {
    this.addSql(`alter table vendor add column is_email_self_reported boolean not null default false, add column is_phone_self_reported boolean not null default false;
      alter table vendor no force row level security;
      alter table vendor disable trigger user;
      update vendor set is_email_self_reported = email is not null, is_phone_self_reported = phone is not null where user_id is not null;
      alter table vendor enable trigger user;
      alter table vendor force row level security;
      alter table vendor alter column is_email_self_reported drop default, alter column is_phone_self_reported drop default`);
  }
}
