import { inspectionStatuses, inspectionTypes, type Signature } from "@freehold/contract/maintenance/inspections";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";
import type { StoredArea } from "./areas.rules.ts";
import type { StoredTemplateArea } from "./templates/template-areas.rules.ts";

const InspectionSchema = defineEntity({
  name: "Inspection",
  tableName: "inspection",
  ...inOrganization,
  indexes: [
    { name: "inspection_by_schedule", properties: ["organizationId", "scheduledAt"] },
    { name: "inspection_by_property", properties: ["organizationId", "propertyId", "scheduledAt"] },
    { name: "inspection_by_unit", properties: ["organizationId", "unitId"] },
    { name: "inspection_by_lease", properties: ["organizationId", "leaseId"] },
    { name: "inspection_by_creation", properties: ["organizationId", "createdAt"] },
    { name: "inspection_by_change", properties: ["organizationId", "updatedAt"] },
  ],
  properties: {
    ...orgColumns,
    propertyId: p.uuid(),
    unitId: p.uuid().nullable(),
    leaseId: p.uuid().nullable(),
    type: enumText(inspectionTypes),
    status: enumText(inspectionStatuses),
    templateId: p.uuid().nullable(),
    scheduledAt: p.datetime(3),
    startedAt: p.datetime(3).nullable(),
    completedAt: p.datetime(3).nullable(),
    cancelledAt: p.datetime(3).nullable(),
    cancelReason: p.text().nullable(),
    inspectorUserId: p.uuid().nullable(),
    summary: p.text().nullable(),
    areas: p.json().$type<StoredArea[]>(),
    signatures: p.json().$type<Signature[]>(),
    createdByUserId: p.uuid().nullable(),
  },
});
/** Inspection of a property or unit. Never deleted, only cancelled. Work orders refer to the inspection and its items, not the other way round. */
export class Inspection extends InspectionSchema.class {}
InspectionSchema.setClass(Inspection);

const InspectionTemplateSchema = defineEntity({
  name: "InspectionTemplate",
  tableName: "inspection_template",
  ...inOrganization,
  indexes: [
    { name: "inspection_template_by_change", properties: ["organizationId", "updatedAt"] },
    {
      name: "inspection_template_name_once",
      expression: `create unique index inspection_template_name_once on inspection_template (organization_id, lower(name)) where deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    name: p.text(),
    type: enumText(inspectionTypes).nullable(),
    areas: p.json().$type<StoredTemplateArea[]>(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Template of areas and items, copied into an inspection when the inspection is created. */
export class InspectionTemplate extends InspectionTemplateSchema.class {}
InspectionTemplateSchema.setClass(InspectionTemplate);
