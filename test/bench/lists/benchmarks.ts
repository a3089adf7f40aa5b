/** Every list of a large portfolio beside two statements that somebody wrote by hand for the same page. */
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { Office } from "../../support/office.ts";
import { freePorts } from "../../../deploy/system/ports.ts";
import { helper } from "../child.ts";
import { growPortfolio } from "../growth/fill.ts";
import { sealedFor } from "../ledger-here.ts";
import { medianMs, run, type Outcome } from "../measure.ts";
import { setStage, type Stage } from "../stage.ts";
import { listsByHand, type ListByHand, type Subject } from "./by-hand.ts";

const PAGE_SIZE = 20;

/** A page or filter of a list, as it is asked of the API and of the statements. */
interface Question {
  list: ListByHand;
  what: string;
  query: Record<string, string>;
  offset: number;
  statement: string;
}

interface Found {
  rows: { id: string }[];
  total: number;
}

const questionsOf = (list: ListByHand, subject: Subject): Question[] => [
  ...[1, 100].map((page) => ({ list, what: `page ${page}`, query: { page: String(page) }, offset: (page - 1) * PAGE_SIZE, statement: list.name })),
  ...Object.entries(list.filters(subject)).map(([what, { query }]) => ({ list, what, query, offset: 0, statement: `${list.name} ${what}` })),
];

function statementsOf(list: ListByHand, subject: Subject): [string, { rows: string; count: string; money: string | undefined }][] {
  const table = list.from.split(" ").at(-1)!;
  const written = (where: string) => {
    const found = `from ${list.from} ${list.joins} where ${table}.organization_id = $1 and ${list.where} and ${where}`;
    const rows = `select ${list.columns} ${found} order by ${list.order} limit ${PAGE_SIZE} offset $2`;
    return { rows, count: `select count(*) as total ${found}`, money: list.money };
  };
  return [
    [list.name, written("true")],
    ...Object.entries(list.filters(subject)).map(([what, { where }]) => [`${list.name} ${what}`, written(where)] as ReturnType<typeof statementsOf>[number]),
  ];
}

/** Somebody with a home, a property of an owner, and a vendor. */
async function aSubject(url: string, { organizationId }: Office): Promise<Subject> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<Subject>(
    `select l.property_id as "propertyId", l.tenant_id as "tenantId", t.full_name as "fullName", po.owner_id as "ownerId", w.vendor_id as "vendorId"
    from lease l join tenant t on t.id = l.tenant_id join property_owner po on po.property_id = l.property_id join work_order w on w.unit_id = l.unit_id
    where l.organization_id = $1 order by md5(l.id::text) limit 1`,
    [organizationId],
  );
  await client.end();
  return rows[0]!;
}

async function askers(stage: Stage, office: Office, subject: Subject, url: (service: string) => string) {
  const [port] = (await freePorts(1)) as [number];
  const statements = Object.fromEntries(listsByHand.flatMap((list) => statementsOf(list, subject)));
  const byHand = helper("by-hand", {
    BY_HAND_PORT: String(port),
    BY_HAND_DATABASE_URL: url("portfolio"),
    BY_HAND_LEDGER_URL: url("ledger"),
    BY_HAND_STATEMENTS: JSON.stringify(statements),
  });
  await byHand.next();
  const seal = sealedFor(stage);
  const read = async (address: string, how: RequestInit = {}): Promise<Record<string, unknown>> => {
    const response = await fetch(address, how);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return {
    ours: async ({ list, query }: Question): Promise<Found> => {
      const asked = new URLSearchParams({ page: "1", pageSize: String(PAGE_SIZE), ...query }).toString();
      const answer = await read(`http://127.0.0.1:${stage.system.ports.portfolio}${list.path}?${asked}`, { headers: await seal(office) });
      return { rows: answer[list.key] as Found["rows"], total: answer["total"] as number };
    },
    theirs: async ({ statement, offset }: Question): Promise<Found> =>
      (await read(`http://127.0.0.1:${port}/${encodeURIComponent(statement)}/${office.organizationId}/${offset}`)) as unknown as Found,
    end: () => byHand.end(),
  };
}

/** Throws where the two do not find the same rows in the same order, and as many in all. */
async function compare(question: Question, { ours, theirs }: Awaited<ReturnType<typeof askers>>): Promise<void> {
  const [mine, written] = (await Promise.all([ours(question), theirs(question)])).map(({ rows, total }) => ({ ids: rows.map(({ id }) => id), total }));
  if (!isDeepStrictEqual(mine, written))
    throw new Error(`${question.statement}, ${question.what}: ${JSON.stringify(mine)} is not what was written by hand: ${JSON.stringify(written)}`);
}

/** The list of which one page or filter costs most beside the same by hand. */
async function worstOf(list: ListByHand, questions: Question[], asked: Awaited<ReturnType<typeof askers>>, say: (text: string) => void): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const question of questions) {
    await compare(question, asked);
    const outcome = await run({
      name: `${list.name}, ${question.what}`,
      against: "the same page by hand",
      target: { atMost: 3 },
      unit: "ms",
      ours: () => medianMs(() => asked.ours(question)),
      theirs: () => medianMs(() => asked.theirs(question)),
    });
    say(`     ${outcome.ratio.toFixed(2)}  ${outcome.ours.toFixed(1)} ms against ${outcome.theirs.toFixed(1)} ms  ${outcome.name}`);
    outcomes.push(outcome);
  }
  const worst = outcomes.toSorted((a, b) => b.ratio - a.ratio)[0]!;
  return { ...worst, name: `${worst.name}: the worst of ${outcomes.length} pages and filters` };
}

/** The benchmarks of lists, on a stage that is filled for them. */
export async function lists(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say);
  try {
    const office = await growPortfolio(stage, say);
    const url = (service: string) => stage.system.adminUrl!.replace(/\/postgres$/, `/${service}`);
    const subject = await aSubject(url("portfolio"), office);
    const asked = await askers(stage, office, subject, url);
    for (const list of listsByHand) done(await worstOf(list, questionsOf(list, subject), asked, say));
    await asked.end();
  } finally {
    await stage.end();
  }
}
