import type { ImportEntityType, ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { importMappingProfiles, MappingProfile } from "@freehold/contract/imports/import-mapping-profiles";
import type { BodyOf, Output, QueryOf } from "@freehold/contract/operation";
import { now } from "@freehold/kit/time/clock";
import { transaction } from "@freehold/kit/db/transaction";
import type { OrgDb, StatementRunner } from "@freehold/kit/db/org-db";
import type { OrgTx } from "@freehold/kit/db/org-tx";
import { conflict, notFound } from "@freehold/kit/errors";
import { omitUndefined } from "@freehold/kit/omit-undefined";
import { listConditions, listPage } from "@freehold/kit/db/list";
import { containsPattern } from "@freehold/kit/like-pattern";
import { sql } from "@freehold/kit/db/statement";
import { withVersion } from "@freehold/kit/http/etag";
import { managersAudience, publish } from "../events.ts";
import { requireMappableFields, requireUniqueFields } from "../import-files/mapping.rules.ts";
import { availableForms, mappableFields } from "../providers/forms.ts";
import { ImportMappingProfile } from "./import-mapping-profile.entity.ts";

type Operations = (typeof importMappingProfiles)["operations"];
type ProfileResponse = Promise<Output<Operations["getImportMappingProfile"]>>;
type ProfileRow = MappingProfile & { version: number };

export const profileNameConflict = () =>
  conflict("There already is a mapping profile with this name. Choose another name.", "duplicate", [
    { path: "name", code: "unique", message: "name is taken." },
  ]);

const columns = sql`m.id, m.organization_id, m.name, m.provider, m.entity_type, m.mapping, m.created_by_user_id, m.created_at, m.updated_at, m.deleted_at, m.version`;
const profileView = ({ version, ...profile }: ProfileRow): MappingProfile => withVersion(profile, version);

async function getProfile(db: StatementRunner, id: string, { includeDeleted = false } = {}): Promise<MappingProfile> {
  const row = await db.first(sql<ProfileRow>`select ${columns} from import_mapping_profile m
    where m.organization_id = ${db.organizationId} and m.id = ${id} and (${includeDeleted} or m.deleted_at is null)`);
  if (!row) throw notFound("Mapping profile");
  return profileView(row);
}

/** Throws 400 unless the mapping names fields of the forms for its entity type, each at most once. */
function requireValidMapping({
  provider,
  entityType,
  mapping,
}: {
  provider: ImportProvider;
  entityType: ImportEntityType;
  mapping: MappingProfile["mapping"];
}): void {
  const entityForms = availableForms(provider).filter(({ outputs }) => outputs[0]!.entityType === entityType);
  requireMappableFields(mapping, new Set(entityForms.flatMap((form) => [...mappableFields(form)])));
  requireUniqueFields(mapping);
}

export async function listImportMappingProfiles(
  db: OrgDb,
  query: QueryOf<Operations["listImportMappingProfiles"]>,
): Promise<Output<Operations["listImportMappingProfiles"]>> {
  const { search, provider, entityType } = query;
  const { rows, paging } = await listPage<ProfileRow>(db, query, {
    select: columns,
    from: sql`import_mapping_profile m`,
    table: "m",
    where: [
      ...listConditions(db, "m", query),
      search !== undefined && sql`m.name ilike ${containsPattern(search)}`,
      provider !== undefined && sql`m.provider = any(${provider})`,
      entityType !== undefined && sql`m.entity_type = any(${entityType})`,
    ],
    sorts: { name: sql`m.name`, createdAt: sql`m.created_at` },
  });
  return { mappingProfiles: rows.map(profileView), ...paging };
}

/** Saves a mapping under a unique name. */
export function createImportMappingProfile(db: OrgDb, body: BodyOf<Operations["createImportMappingProfile"]>): ProfileResponse {
  requireValidMapping(body);
  return transaction(db, async (tx) => {
    const profile = tx.create(ImportMappingProfile, { ...body, createdByUserId: db.principal.userId });
    await tx.flush();
    await publish(tx, "import_mapping_profile.created", { entityId: profile.id, data: {}, audience: managersAudience });
    return { mappingProfile: await getProfile(tx, profile.id) };
  });
}

export const getImportMappingProfile = async (db: OrgDb, id: string): ProfileResponse => ({ mappingProfile: await getProfile(db, id) });

const lockProfile = (tx: OrgTx, id: string): Promise<ImportMappingProfile> => tx.getForUpdate(ImportMappingProfile, id, "Mapping profile", { deletedAt: null });

/** Updates the members that are sent; the mapping is replaced as a whole. */
export const updateImportMappingProfile = (db: OrgDb, id: string, changes: BodyOf<Operations["updateImportMappingProfile"]>): ProfileResponse =>
  transaction(db, async (tx) => {
    const profile = tx.assign(await lockProfile(tx, id), { ...omitUndefined(changes), updatedAt: now() });
    requireValidMapping(profile);
    await publish(tx, "import_mapping_profile.updated", { entityId: id, data: {}, audience: managersAudience });
    return { mappingProfile: await getProfile(tx, id) };
  });

/** Soft-deletes a profile; files to which it was applied remain unchanged. */
export const deleteImportMappingProfile = (db: OrgDb, id: string): ProfileResponse =>
  transaction(db, async (tx) => {
    tx.assign(await lockProfile(tx, id), { deletedAt: now() });
    await publish(tx, "import_mapping_profile.deleted", { entityId: id, data: {}, audience: managersAudience });
    return { mappingProfile: await getProfile(tx, id, { includeDeleted: true }) };
  });
