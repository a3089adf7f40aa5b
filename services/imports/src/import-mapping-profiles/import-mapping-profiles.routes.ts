import { importMappingProfiles } from "@freehold/contract/imports/import-mapping-profiles";
import { routes } from "@freehold/kit/http/routes";
import {
  createImportMappingProfile,
  deleteImportMappingProfile,
  getImportMappingProfile,
  listImportMappingProfiles,
  updateImportMappingProfile,
} from "./import-mapping-profiles.ts";

export const importMappingProfileRoutes = routes(importMappingProfiles, {
  listImportMappingProfiles: ({ db, query }) => listImportMappingProfiles(db, query),
  createImportMappingProfile: ({ db, body }) => createImportMappingProfile(db, body),
  getImportMappingProfile: ({ db, params }) => getImportMappingProfile(db, params.id),
  updateImportMappingProfile: ({ db, params, body }) => updateImportMappingProfile(db, params.id, body),
  deleteImportMappingProfile: ({ db, params }) => deleteImportMappingProfile(db, params.id),
});
