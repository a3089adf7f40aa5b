import { z } from "zod";
import { ColumnMapping, importEntityTypes, importProviders } from "./import-bundles.ts";
import { area, body } from "./operation.ts";
import { managers } from "./roles.ts";
import { anyOf, Id, Instant, listQuery, page, Search, text } from "./values.ts";

const terms = { name: text(1, 160), provider: z.enum(importProviders), entityType: z.enum(importEntityTypes), mapping: ColumnMapping };

export const MappingProfile = z
  .strictObject({
    id: Id,
    organizationId: Id,
    ...terms,
    name: z.string(),
    mapping: z.record(z.string(), z.string().nullable()),
    createdByUserId: Id.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    deletedAt: Instant.nullable(),
  })
  .meta({ id: "ImportMappingProfile", description: "A mapping that was saved, to be used for other files with the same columns." });
export type MappingProfile = z.output<typeof MappingProfile>;

const one = { mappingProfile: MappingProfile };

export const importMappingProfiles = area("Import mapping profiles", "imports", {
  listImportMappingProfiles: {
    method: "GET",
    path: "/api/import-mapping-profiles",
    summary: "list import mapping profiles",
    access: managers,
    query: listQuery(["name", "createdAt"], {
      search: Search.optional(),
      provider: anyOf(importProviders).optional(),
      entityType: anyOf(importEntityTypes).optional(),
    }),
    returns: page("mappingProfiles", MappingProfile),
  },
  createImportMappingProfile: {
    method: "POST",
    path: "/api/import-mapping-profiles",
    summary: "create import mapping profiles",
    access: managers,
    description: "Names are given once in an organization. The fields are those of the entity type, and of all that is read from a file of it.",
    body: body(terms),
    returns: one,
    fails: [409],
    idempotent: true,
  },
  getImportMappingProfile: {
    method: "GET",
    path: "/api/import-mapping-profiles/{id}",
    summary: "read an import mapping profile",
    access: managers,
    returns: one,
  },
  updateImportMappingProfile: {
    method: "PATCH",
    path: "/api/import-mapping-profiles/{id}",
    summary: "change import mapping profiles",
    access: managers,
    description: "`mapping` replaces the one that is saved. Files that it was applied to stay as they are.",
    body: body(terms).partial(),
    returns: one,
    fails: [409],
  },
  deleteImportMappingProfile: {
    method: "DELETE",
    path: "/api/import-mapping-profiles/{id}",
    summary: "delete import mapping profiles",
    access: managers,
    description: "Soft-deletes. Files that it was applied to stay as they are.",
    returns: one,
  },
});
