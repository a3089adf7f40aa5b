import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const tables = [
  `create table rent_change (${orgColumnsSql},
    lease_id uuid not null,
    effective_date date not null,
    rent_cents bigint not null,
    previous_rent_cents bigint not null,
    notice_sent_on date,
    applied_at timestamptz(3),
    deleted_at timestamptz(3),
    constraint rent_change_of_a_lease foreign key (organization_id, lease_id) references lease (organization_id, id),
    constraint rent_change_rents_not_negative check (rent_cents >= 0 and previous_rent_cents >= 0)
  )`,
  `create table billing_schedule (${orgColumnsSql},
    lease_id uuid not null,
    label text not null,
    charge_type text not null,
    category_id uuid not null,
    frequency text not null,
    deleted_at timestamptz(3),
    constraint billing_schedule_of_a_lease foreign key (organization_id, lease_id) references lease (organization_id, id)
  )`,
  `create table billing_step (
    organization_id uuid not null,
    schedule_id uuid not null,
    start_date date not null,
    end_date date,
    amount_cents bigint not null,
    primary key (organization_id, schedule_id, start_date),
    constraint billing_step_of_a_schedule foreign key (organization_id, schedule_id) references billing_schedule (organization_id, id),
    constraint billing_step_ends_after_it_starts check (end_date >= start_date),
    constraint billing_step_amount_not_negative check (amount_cents >= 0),
    constraint billing_step_alone_on_its_days exclude using gist (organization_id with =, schedule_id with =, daterange(start_date, end_date, '[]') with &&)
  )`,
  `create table parking_right (${orgColumnsSql},
    lease_id uuid not null,
    parking_type text not null,
    effective_start date not null,
    effective_end date,
    rate_basis text not null,
    rate_frequency text,
    rate_per_space_cents bigint,
    ratio_per1000_sqft double precision,
    space_count int,
    location text,
    notes text,
    stall_labels text,
    stall_unit_ids uuid[] not null,
    billing_schedule_id uuid,
    recurring_charge_rule_id uuid,
    deleted_at timestamptz(3),
    constraint parking_right_of_a_lease foreign key (organization_id, lease_id) references lease (organization_id, id),
    constraint parking_right_of_a_schedule foreign key (organization_id, billing_schedule_id) references billing_schedule (organization_id, id),
    constraint parking_right_ends_after_it_starts check (effective_end >= effective_start),
    constraint parking_right_rate_is_fixed check (rate_basis = 'fixed' or rate_per_space_cents is null),
    constraint parking_right_links_one_charge check (num_nonnulls(billing_schedule_id, recurring_charge_rule_id) <= 1)
  )`,
];

const indexes = [
  `create unique index rent_change_once_a_day on rent_change (organization_id, lease_id, effective_date) where deleted_at is null`,
  `create index rent_change_to_come on rent_change (organization_id, effective_date) where applied_at is null and deleted_at is null`,
  `create index billing_schedule_by_lease on billing_schedule (organization_id, lease_id)`,
  `create index parking_right_by_lease on parking_right (organization_id, lease_id)`,
  `create index parking_right_by_schedule on parking_right (organization_id, billing_schedule_id) where billing_schedule_id is not null`,
];

/** Rent changes, billing schedules and parking rights of leases. */
export class LeaseTerms extends Migration {
  override up(): void {
    for (const statement of [...tables, ...indexes, ...["rent_change", "billing_schedule", "billing_step", "parking_right"].map(rowLevelSecuritySql)])
      this.addSql(statement);
  }
}
