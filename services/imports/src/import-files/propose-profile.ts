/** Proposal of a saved mapping profile for an uploaded file whose columns it names. */
import type { ImportEntityType, ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { StatementRunner } from "@freehold/kit/db/org-db";
import { sql } from "@freehold/kit/db/statement";
import { ApiError } from "@freehold/kit/errors";
import { normalizeForMatching } from "../parsing/text.ts";
import { applyCorrection, type MappedFile } from "./mapping.rules.ts";

export interface SavedProfile {
  id: string;
  provider: ImportProvider;
  entityType: ImportEntityType;
  mapping: Record<string, string | null>;
}

/** Minimum number of columns that a profile names; fewer names do not identify an export. */
const MIN_COLUMNS = 3;
const MAX_PROFILES = 200;

/** Returns the profiles of a provider, the last changed first. */
export const listProfiles = (db: StatementRunner, provider: ImportProvider): Promise<SavedProfile[]> =>
  db.all(sql<SavedProfile>`select id, provider, entity_type, mapping from import_mapping_profile
    where organization_id = ${db.organizationId} and provider = ${provider} and deleted_at is null order by updated_at desc, id limit ${MAX_PROFILES}`);

/** Returns the mapping of a file by the profile that names the most columns, all of which the file has, or undefined without such a profile. */
export function proposeProfile(file: MappedFile, profiles: readonly SavedProfile[]): (Omit<MappedFile, "header"> & { mappingProfileId: string }) | undefined {
  const names = new Set(file.header.map(normalizeForMatching));
  const fitting = profiles
    .map((profile) => ({ profile, columns: Object.keys(profile.mapping) }))
    .filter(({ columns }) => columns.length >= MIN_COLUMNS && columns.every((column) => names.has(normalizeForMatching(column))))
    .toSorted((a, b) => b.columns.length - a.columns.length);
  for (const { profile } of fitting) {
    try {
      return { ...applyCorrection(profile.provider, file, { profile }), mappingProfileId: profile.id };
    } catch (error) {
      // A profile is not proposed for a file in which two columns would have the same field.
      if (!(error instanceof ApiError)) throw error;
    }
  }
  return undefined;
}
