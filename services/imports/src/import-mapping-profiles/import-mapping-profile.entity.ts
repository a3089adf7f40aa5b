import { importEntityTypes, importProviders } from "@freehold/contract/imports/import-bundles";
import { defineEntity, inOrganization, enumText, orgColumns, p } from "@freehold/kit/db/entity";

const ImportMappingProfileSchema = defineEntity({
  name: "ImportMappingProfile",
  tableName: "import_mapping_profile",
  ...inOrganization,
  indexes: [
    { name: "import_mapping_profile_by_change", properties: ["organizationId", "updatedAt"] },
    {
      name: "import_mapping_profile_name_once",
      expression: `create unique index import_mapping_profile_name_once on import_mapping_profile (organization_id, lower(name)) where deleted_at is null`,
    },
  ],
  properties: {
    ...orgColumns,
    name: p.text(),
    provider: enumText(importProviders),
    entityType: enumText(importEntityTypes),
    mapping: p.json().$type<Record<string, string | null>>(),
    createdByUserId: p.uuid().nullable(),
    deletedAt: p.datetime(3).nullable(),
  },
});
/** Column mapping that was saved for other files with the same columns. */
export class ImportMappingProfile extends ImportMappingProfileSchema.class {}
ImportMappingProfileSchema.setClass(ImportMappingProfile);
