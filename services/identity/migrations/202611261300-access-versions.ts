import { Migration } from "@mikro-orm/migrations";

/** Adds the version of the access of users and service keys, which access tokens contain. It grows when tokens issued before become invalid. */
export class AccessVersions extends Migration {
  override up(): void {
    this.addSql(`alter table app_user add column access_version int not null default 0`);
    this.addSql(`alter table service_key add column access_version int not null default 0`);
  }
}
