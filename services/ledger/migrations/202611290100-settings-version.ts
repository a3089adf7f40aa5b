import { Migration } from "@mikro-orm/migrations";

/** The settings of a ledger have the version of the organization's settings, so that earlier ones that arrive late do not replace them. */
export class SettingsVersion extends Migration {
  override up(): void {
    this.addSql("alter table book add column settings_version int not null default 0");
  }
}
