import { orgColumnsSql, rowLevelSecuritySql } from "@freehold/kit/db/entity";
import { Migration } from "@mikro-orm/migrations";

const tables = [
  `create table import_bundle (${orgColumnsSql},
    name text not null,
    provider text not null,
    source_namespace text not null,
    source_account_label text not null,
    status text not null,
    phase text,
    processed int not null,
    total int not null,
    counts jsonb not null,
    run int not null,
    cursor jsonb,
    announced_at timestamptz(3),
    created_by_user_id uuid,
    validated_at timestamptz(3),
    started_at timestamptz(3),
    completed_at timestamptz(3),
    error text
  )`,
  `create table import_mapping_profile (${orgColumnsSql},
    name text not null,
    provider text not null,
    entity_type text not null,
    mapping jsonb not null,
    created_by_user_id uuid,
    deleted_at timestamptz(3)
  )`,
  `create table import_file (${orgColumnsSql},
    bundle_id uuid not null,
    position int not null,
    file_name text not null,
    size_bytes bigint not null,
    sha256 text not null,
    encoding text not null,
    delimiter text not null,
    header_row int not null,
    header jsonb not null,
    form text,
    mapping jsonb not null,
    column_confidence jsonb not null,
    mapping_confidence double precision not null,
    mapping_profile_id uuid,
    row_count int not null,
    skipped_rows int not null,
    warnings jsonb not null,
    constraint import_file_has_bundle foreign key (organization_id, bundle_id) references import_bundle (organization_id, id),
    constraint import_file_has_profile foreign key (organization_id, mapping_profile_id) references import_mapping_profile (organization_id, id)
  )`,
  `create table import_candidate (${orgColumnsSql},
    bundle_id uuid not null,
    file_id uuid not null,
    position int not null,
    row_number int not null,
    entity_type text not null,
    status text,
    source_id text not null,
    is_derived boolean not null,
    natural_key text,
    name_key text,
    display_name text not null,
    data jsonb not null,
    extra jsonb not null,
    parse_errors jsonb not null,
    refs jsonb not null,
    links jsonb not null default '{}',
    unresolved text[] not null default '{}',
    link_errors jsonb not null default '[]',
    verdict text,
    matches jsonb not null default '[]',
    changes jsonb not null default '[]',
    errors jsonb not null default '[]',
    decision text,
    original jsonb,
    chosen_entity_id uuid,
    merged_into_id uuid,
    result_entity_id uuid,
    constraint import_candidate_once_in_bundle unique (organization_id, bundle_id, position),
    constraint import_candidate_has_bundle foreign key (organization_id, bundle_id) references import_bundle (organization_id, id)
  )`,
  `create table import_dependency (
    organization_id uuid not null,
    bundle_id uuid not null,
    candidate_id uuid not null,
    depends_on_id uuid not null,
    primary key (organization_id, candidate_id, depends_on_id),
    constraint import_dependency_has_bundle foreign key (organization_id, bundle_id) references import_bundle (organization_id, id)
  )`,
  `create table import_identity (
    organization_id uuid not null,
    namespace text not null,
    entity_type text not null,
    source_id text not null,
    entity_id uuid not null,
    bundle_id uuid not null,
    data jsonb not null,
    action text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (organization_id, namespace, entity_type, source_id),
    constraint import_identity_has_bundle foreign key (organization_id, bundle_id) references import_bundle (organization_id, id)
  )`,
];

const indexes = [
  `create index import_bundle_by_creation on import_bundle (organization_id, created_at)`,
  `create index import_bundle_by_change on import_bundle (organization_id, updated_at)`,
  `create index import_bundle_by_status on import_bundle (organization_id, status)`,
  `create unique index import_mapping_profile_name_once on import_mapping_profile (organization_id, lower(name)) where deleted_at is null`,
  `create index import_mapping_profile_by_change on import_mapping_profile (organization_id, updated_at)`,
  `create index import_file_by_bundle on import_file (organization_id, bundle_id, position)`,
  `create index import_candidate_by_type on import_candidate (organization_id, bundle_id, entity_type, position)`,
  `create index import_candidate_by_status on import_candidate (organization_id, bundle_id, status, position)`,
  `create index import_candidate_by_source on import_candidate (organization_id, bundle_id, entity_type, source_id)`,
  `create index import_candidate_by_natural_key on import_candidate (organization_id, bundle_id, entity_type, natural_key) where natural_key is not null`,
  `create index import_candidate_by_name on import_candidate (organization_id, bundle_id, entity_type, name_key) where name_key is not null`,
  `create index import_candidate_merged on import_candidate (organization_id, merged_into_id) where merged_into_id is not null`,
  `create index import_candidate_unresolved on import_candidate (organization_id, bundle_id) where unresolved <> '{}'`,
  `create index import_dependency_on on import_dependency (organization_id, depends_on_id)`,
  `create index import_dependency_by_bundle on import_dependency (organization_id, bundle_id)`,
  `create index import_identity_by_entity on import_identity (organization_id, entity_type, entity_id)`,
];

/**
 * Creates the tables of import bundles: bundles, their files, the candidates for import that are read from the rows, the
 * dependencies between candidates, mapping profiles, and the identities that map source ids to imported records.
 */
export class ImportBundles extends Migration {
  override up(): void {
    for (const statement of tables) this.addSql(statement);
    for (const statement of indexes) this.addSql(statement);
    for (const table of ["import_bundle", "import_mapping_profile", "import_file", "import_candidate", "import_dependency", "import_identity"])
      this.addSql(rowLevelSecuritySql(table));
  }
}
