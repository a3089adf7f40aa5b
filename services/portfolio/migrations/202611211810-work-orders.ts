import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const tables = [
  `create table work_order_counter (
    organization_id uuid not null,
    last int not null,
    primary key (organization_id)
  )`,
  `create table work_order (${orgColumnsSql},
    number int not null,
    property_id uuid not null,
    unit_id uuid,
    lease_id uuid,
    tenant_id uuid,
    vendor_id uuid,
    assigned_user_id uuid,
    title text not null,
    description text,
    category text not null,
    priority text not null,
    status text not null,
    source text not null,
    entry_permission text not null,
    entry_notes text,
    requested_at timestamptz(3) not null,
    due_on date,
    scheduled_start timestamptz(3),
    scheduled_end timestamptz(3),
    started_at timestamptz(3),
    completed_at timestamptz(3),
    cancelled_at timestamptz(3),
    estimate_cents bigint,
    approved_estimate_cents bigint,
    actual_cents bigint not null,
    chargeable_to text,
    inspection_id uuid,
    visibility text not null,
    created_by_user_id uuid,
    constraint work_order_number_once unique (organization_id, number),
    constraint work_order_scheduled_to_end_after_it_starts check (scheduled_end >= scheduled_start),
    constraint work_order_actual_cents_not_negative check (actual_cents >= 0),
    constraint work_order_has_property foreign key (organization_id, property_id) references property (organization_id, id),
    constraint work_order_has_unit_of_property foreign key (organization_id, property_id, unit_id) references unit (organization_id, property_id, id),
    constraint work_order_has_lease foreign key (organization_id, lease_id) references lease (organization_id, id),
    constraint work_order_has_tenant foreign key (organization_id, tenant_id) references tenant (organization_id, id),
    constraint work_order_has_vendor foreign key (organization_id, vendor_id) references vendor (organization_id, id)
  )`,
  `create table work_order_change (
    organization_id uuid not null,
    id uuid not null,
    work_order_id uuid not null,
    at timestamptz(3) not null,
    actor_user_id uuid,
    field text not null,
    from_value text,
    to_value text,
    primary key (organization_id, id),
    constraint work_order_change_has_work_order foreign key (organization_id, work_order_id) references work_order (organization_id, id)
  )`,
  `create table work_order_estimate (${orgColumnsSql},
    work_order_id uuid not null,
    vendor_id uuid,
    amount_cents bigint not null,
    lines jsonb not null,
    valid_until date,
    status text not null,
    decided_by_user_id uuid,
    decided_at timestamptz(3),
    decision_note text,
    created_by_user_id uuid,
    constraint work_order_estimate_amount_positive check (amount_cents >= 1),
    constraint work_order_estimate_decided_at_a_time check ((status = 'submitted') = (decided_at is null)),
    constraint work_order_estimate_has_work_order foreign key (organization_id, work_order_id) references work_order (organization_id, id),
    constraint work_order_estimate_has_vendor foreign key (organization_id, vendor_id) references vendor (organization_id, id)
  )`,
];

const indexes = [
  `create index work_order_by_property on work_order (organization_id, property_id, status)`,
  `create index work_order_by_unit on work_order (organization_id, unit_id)`,
  `create index work_order_by_tenant on work_order (organization_id, tenant_id)`,
  `create index work_order_by_vendor on work_order (organization_id, vendor_id, status)`,
  `create index work_order_by_assigned_user on work_order (organization_id, assigned_user_id)`,
  `create index work_order_by_creation on work_order (organization_id, created_at)`,
  `create index work_order_by_due_date on work_order (organization_id, due_on)`,
  `create index work_order_by_change on work_order (organization_id, updated_at)`,
  `create index work_order_change_by_work_order on work_order_change (organization_id, work_order_id, at)`,
  `create index work_order_estimate_by_work_order on work_order_estimate (organization_id, work_order_id, created_at)`,
  `create unique index work_order_estimate_approved_once on work_order_estimate (organization_id, work_order_id) where status = 'approved'`,
];

const organizationTables = ["work_order_counter", "work_order", "work_order_change", "work_order_estimate"];

/** Work orders with their estimates and history. A unique index allows one approved estimate per work order. */
export class WorkOrders extends Migration {
  override up(): void {
    for (const statement of [...tables, ...indexes, ...organizationTables.map(rowLevelSecuritySql)]) this.addSql(statement);
  }
}
