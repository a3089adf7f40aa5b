import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const tables = [
  `create table inspection_template (${orgColumnsSql},
    name text not null,
    type text,
    areas jsonb not null,
    deleted_at timestamptz(3)
  )`,
  `create table inspection (${orgColumnsSql},
    property_id uuid not null,
    unit_id uuid,
    lease_id uuid,
    type text not null,
    status text not null,
    template_id uuid,
    scheduled_at timestamptz(3) not null,
    started_at timestamptz(3),
    completed_at timestamptz(3),
    cancelled_at timestamptz(3),
    cancel_reason text,
    inspector_user_id uuid,
    summary text,
    areas jsonb not null,
    signatures jsonb not null,
    created_by_user_id uuid,
    constraint inspection_completed_at_a_time check ((status = 'completed') = (completed_at is not null)),
    constraint inspection_cancelled_at_a_time check ((status = 'cancelled') = (cancelled_at is not null)),
    constraint inspection_completed_after_it_started check (completed_at >= started_at),
    constraint inspection_has_property foreign key (organization_id, property_id) references property (organization_id, id),
    constraint inspection_has_unit_of_property foreign key (organization_id, property_id, unit_id) references unit (organization_id, property_id, id),
    constraint inspection_has_lease foreign key (organization_id, lease_id) references lease (organization_id, id),
    constraint inspection_has_template foreign key (organization_id, template_id) references inspection_template (organization_id, id)
  )`,
];

const indexes = [
  `create unique index inspection_template_name_once on inspection_template (organization_id, lower(name)) where deleted_at is null`,
  `create index inspection_template_by_change on inspection_template (organization_id, updated_at)`,
  `create index inspection_by_schedule on inspection (organization_id, scheduled_at)`,
  `create index inspection_by_property on inspection (organization_id, property_id, scheduled_at)`,
  `create index inspection_by_unit on inspection (organization_id, unit_id)`,
  `create index inspection_by_lease on inspection (organization_id, lease_id)`,
  `create index inspection_by_creation on inspection (organization_id, created_at)`,
  `create index inspection_by_change on inspection (organization_id, updated_at)`,
];

const workOrderAlterations = [
  `alter table work_order add column inspection_item_id uuid`,
  `alter table work_order add constraint work_order_once_for_inspection_item unique (organization_id, inspection_id, inspection_item_id)`,
  `alter table work_order add constraint work_order_has_inspection
    foreign key (organization_id, inspection_id) references inspection (organization_id, id)`,
];

/** Inspections and their templates. A unique constraint allows one work order per inspection item. */
export class Inspections extends Migration {
  override up(): void {
    for (const statement of [...tables, ...indexes, ...workOrderAlterations, ...["inspection_template", "inspection"].map(rowLevelSecuritySql)])
      this.addSql(statement);
  }
}
