import { z } from "zod";
import { InspectionType, inspectionTypes, MAX_AREAS, MAX_ITEMS, Name } from "./inspection.schema.ts";
import { operationGroup, body } from "../operation.ts";
import { officeRoles } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, Search } from "../values.ts";

const item = { name: Name.describe("Name of the item, unique within the area regardless of case.") };
const area = { name: Name.describe("Name of the area, unique within the template regardless of case.") };

const TemplateItem = z
  .strictObject({ id: Id.describe("Unique identifier of the item, by which comparisons match the items of inspections."), ...item })
  .meta({ id: "InspectionTemplateItem", description: "An item to inspect." });
const TemplateArea = z
  .strictObject({ ...area, items: z.array(TemplateItem).describe("Items of the area.") })
  .meta({ id: "InspectionTemplateArea", description: "A room or another part of a unit, with the items to inspect." });
export type TemplateArea = z.output<typeof TemplateArea>;

/** Area in a request. */
const SentTemplateArea = body({
  ...area,
  items: z
    .array(body({ id: Id.optional().describe("Existing item to keep; omit for a new item, or for the item of the same area and name."), ...item }))
    .max(MAX_ITEMS)
    .describe("Items of the area."),
});
export type SentTemplateArea = z.output<typeof SentTemplateArea>;

const terms = {
  name: Name.describe("Name of the template, unique within the organization regardless of case."),
  type: InspectionType.nullable().describe("Type of inspection that the template is meant for; null for any type."),
};
const sentTerms = {
  ...terms,
  areas: z.array(SentTemplateArea).max(MAX_AREAS).describe("Areas of the template. An update replaces the whole list."),
};

export const InspectionTemplate = z
  .strictObject({
    id: Id.describe("Unique identifier of the template."),
    organizationId: Id.describe("Organization that the template belongs to."),
    ...terms,
    areas: z.array(TemplateArea).describe("Areas of the template."),
    createdAt: Instant.describe("Time at which the template was created."),
    updatedAt: Instant.describe("Time at which the template was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the template was deleted; null unless deleted."),
  })
  .meta({ id: "InspectionTemplate", description: "A list of areas and items that new inspections are created from." });
export type InspectionTemplate = z.output<typeof InspectionTemplate>;

const templateResponse = (template: string) => ({ inspectionTemplate: InspectionTemplate.describe(template) });

export const inspectionTemplates = operationGroup("Inspection templates", "portfolio", {
  listInspectionTemplates: {
    method: "GET",
    path: "/api/inspection-templates",
    summary: "list inspection templates",
    access: officeRoles,
    description: "Each new organization starts with one template, for an apartment.",
    query: listQuery(["name", "createdAt"], {
      search: Search.optional().describe("Case-insensitive text to find in the name."),
      type: csvEnum(inspectionTypes).optional().describe("Types of inspection that the template is meant for, repeated or comma-separated."),
    }),
    response: page("inspectionTemplates", InspectionTemplate),
  },
  createInspectionTemplate: {
    method: "POST",
    path: "/api/inspection-templates",
    summary: "create inspection templates",
    access: officeRoles,
    description: "Names of areas, and of items within an area, must be unique regardless of case. A template name in use returns 409 `duplicate`.",
    body: body(sentTerms).partial({ type: true }),
    response: templateResponse("Created template."),
    errors: [409],
    idempotent: true,
  },
  getInspectionTemplate: {
    method: "GET",
    path: "/api/inspection-templates/{id}",
    summary: "read an inspection template",
    access: officeRoles,
    response: templateResponse("Requested template."),
  },
  updateInspectionTemplate: {
    method: "PATCH",
    path: "/api/inspection-templates/{id}",
    summary: "change inspection templates",
    access: officeRoles,
    description:
      "`areas` replaces all areas; an item sent with its `id` is the same item under another name or in another area. Inspections created from the template are not affected.",
    body: body(sentTerms).partial(),
    response: templateResponse("Template after the change."),
    errors: [409],
  },
  deleteInspectionTemplate: {
    method: "DELETE",
    path: "/api/inspection-templates/{id}",
    summary: "delete inspection templates",
    access: officeRoles,
    description: "Soft-deletes the template. Inspections created from the template are not affected.",
    response: templateResponse("Deleted template, with `deletedAt` set."),
  },
});
