import { z } from "zod";
import { ColumnMapping, importEntityTypes, importProviders } from "./import-bundles.ts";
import { operationGroup, body } from "../operation.ts";
import { adminsAndManagers } from "../roles.ts";
import { csvEnum, Id, Instant, listQuery, page, Search, text } from "../values.ts";

const NAME_DESCRIPTION = "Name of the mapping profile, unique within the organization.";
const MAPPING_DESCRIPTION = "Field of the generic template for each column name, or null for a column that is not imported.";
const terms = {
  name: text(1, 160).describe(NAME_DESCRIPTION),
  provider: z.enum(importProviders).describe("Source system of the files: `generic` for the templates of Freehold, `appfolio` or `buildium`."),
  entityType: z.enum(importEntityTypes).describe("Primary entity type of the files that the profile is for."),
  mapping: ColumnMapping.describe(`${MAPPING_DESCRIPTION} At most 500 columns; two columns cannot have the same field.`),
};

export const MappingProfile = z
  .strictObject({
    id: Id.describe("ID of the mapping profile."),
    organizationId: Id.describe("ID of the organization the mapping profile belongs to."),
    ...terms,
    name: z.string().describe(NAME_DESCRIPTION),
    mapping: z.record(z.string(), z.string().nullable()).describe(MAPPING_DESCRIPTION),
    createdByUserId: Id.nullable().describe("ID of the user or service key that created the mapping profile, or null."),
    createdAt: Instant.describe("Time at which the mapping profile was created."),
    updatedAt: Instant.describe("Time at which the mapping profile was last changed."),
    deletedAt: Instant.nullable().describe("Time at which the mapping profile was deleted. Null for a profile that was not deleted."),
  })
  .meta({ id: "ImportMappingProfile", description: "Saved column mapping for files with the same columns." });
export type MappingProfile = z.output<typeof MappingProfile>;

const profileResponse = { mappingProfile: MappingProfile };

export const importMappingProfiles = operationGroup("Import mapping profiles", "imports", {
  listImportMappingProfiles: {
    method: "GET",
    path: "/api/import-mapping-profiles",
    summary: "list import mapping profiles",
    access: adminsAndManagers,
    query: listQuery(["name", "createdAt"], {
      search: Search.optional().describe("Return only mapping profiles whose name contains this text, ignoring case."),
      provider: csvEnum(importProviders).optional().describe("Return only mapping profiles for these source systems, repeated or comma-separated."),
      entityType: csvEnum(importEntityTypes).optional().describe("Return only mapping profiles for these entity types, repeated or comma-separated."),
    }),
    response: page("mappingProfiles", MappingProfile),
  },
  createImportMappingProfile: {
    method: "POST",
    path: "/api/import-mapping-profiles",
    summary: "create import mapping profiles",
    access: adminsAndManagers,
    description:
      "Names are unique within the organization (409 `duplicate`). The mapping may name the fields of the entity type and of all other entity types read from such a file.",
    body: body(terms),
    response: profileResponse,
    errors: [409],
    idempotent: true,
  },
  getImportMappingProfile: {
    method: "GET",
    path: "/api/import-mapping-profiles/{id}",
    summary: "read an import mapping profile",
    access: adminsAndManagers,
    response: profileResponse,
  },
  updateImportMappingProfile: {
    method: "PATCH",
    path: "/api/import-mapping-profiles/{id}",
    summary: "change import mapping profiles",
    access: adminsAndManagers,
    description: "Changes only the members that are sent; `mapping` replaces the whole mapping. Files that the profile was applied to are not changed.",
    body: body(terms).partial(),
    response: profileResponse,
    errors: [409],
  },
  deleteImportMappingProfile: {
    method: "DELETE",
    path: "/api/import-mapping-profiles/{id}",
    summary: "delete import mapping profiles",
    access: adminsAndManagers,
    description: "Soft-deletes the mapping profile. Files that the profile was applied to are not changed.",
    response: profileResponse,
  },
});
