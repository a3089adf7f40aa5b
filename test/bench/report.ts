/** Prints docs/benchmarks.md: the tables of results and notes on the method. */
import { cpus, totalmem } from "node:os";
import { boundOf, SECONDS, type Outcome } from "./measure.ts";

const rate = (value: number, unit: string): string => (unit === "/s" ? `${value.toFixed(0)}/s` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`);

const titles = {
  requests: "Requests",
  lists: "Lists",
  documents: "Documents",
  imports: "Imports",
  fanout: "Fan-out",
  arrival: "Arrival of events",
  growth: "Growth",
};
export type Group = keyof typeof titles;

const heading = `| Benchmark | Against (same run) | Ours | Theirs | Ratio | Target |
|---|---|---|---|---|---|`;

const row = (outcome: Outcome): string =>
  `| ${outcome.name} | ${outcome.against} | ${rate(outcome.ours, outcome.unit)} | ${rate(outcome.theirs, outcome.unit)} | **${outcome.ratio.toFixed(2)}** | ${boundOf(outcome)} |`;

/** Returns the existing table of a group, or an empty one. */
const earlier = (document: string, group: Group): string => document.split(`## ${titles[group]}\n\n`)[1]?.split("\n\n")[0] ?? heading;

/** Returns the document with the new results of a group and the existing tables of the others. */
export function report(measured: Group, outcomes: readonly Outcome[], document: string): string {
  const tables = (Object.keys(titles) as Group[]).map((group) => {
    const table = group === measured ? [heading, ...outcomes.map(row)].join("\n") : earlier(document, group);
    return `## ${titles[group]}\n\n${table}\n`;
  });
  return `# Benchmarks

Printed by \`npm run bench\`; \`BENCH_ONLY=${Object.keys(titles).join()}\` chooses some. Each row compares two figures of one run on one machine, measured in turn, three times each; the ratio is the median of the three. Rates are measured for ${SECONDS} s. PostgreSQL runs with \`fsync\` on, limits are off, everything shares the machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}. The ratios mean something; the figures only here.

${tables.join("\n")}${notes}`;
}

const notes = `
## How it is measured

**Growth.** Three organizations in the same tables: one of 5 million journal lines and 40 000 leases, a second one of that size beside it, and one of a hundredth. SQL on the server fills them (\`BENCH_GROWTH_LINES\` says how far; nearly 12 GB at full size, in a temporary directory that is removed), then every foreign key, the balance of every entry, the kept balances and the open charges are checked by queries, and the trial balance through the API. Both organizations are asked in turn, at the service that answers, one request after the other; the time is that of the request in the middle. A list is compared by each page and filter, with as many rows on the page in both, and the one that grows most speaks for it. Filters have no target: what one property has lies among the rows of forty thousand leases, and what matches a hundred times as much is counted a hundred times as long. Searches ask for names whole and begun, phone numbers, amounts, addresses and misspelled names in turn. Payments are recorded for any of ten thousand tenants in the large organization and of a hundred in the small one.

**Lists.** Two organizations side by side, each with 2 000 properties, 40 000 units and tenants, 60 000 leases and 100 000 work orders. Twenty rows on a page, asked at the service; against it a process with the same Express answers two statements that somebody wrote by hand, prepared and without a wall between organizations: the columns that a caller sees of the rows, and how many there are; what a row shows of the books is its balance, by a third statement in the ledger's database. Each page and filter is first seen to find the same rows and as many; the worst speaks for its list.

**Documents.** Twenty files of 25 MiB are uploaded at once through the gateway and then downloaded at once, three times after a round that is not counted. Before each the processes collect their garbage; the growth is the highest \`VmRSS\` while it lasts, read every 20 ms, garbage included.

**Imports.** A bundle of the generic form, each time into a new organization: from the request to validate it until the last row is written, every row through an operation of the service that owns it. Against it one \`COPY\` of the same lines into a table of texts without an index. The memory is that of the imports process, its garbage collected.

**Fan-out.** Plain sockets in another process read 5 000 streams of one organization. The time runs from the publication of an event on NATS until the last socket has it; for the bare server from the first \`res.write\`. Memory is the growth of \`VmRSS\` of the gateway, which is made to collect its garbage before and after. Each process may open as many files: \`ulimit -n 10200\`.

**Arrival.** \`createVendor\` through the gateway at a steady pace. PostgreSQL keeps the time of every commit (\`track_commit_timestamp\`), and a client in another process notes when the frame arrives. A bare subscriber of NATS, in a third process, notes when the same events reach it: the ratio is what the gateway adds. The second row holds all of it against the least that could do the same: a process commits one row with an envelope of the same size and publishes it to NATS, without JetStream, without an outbox and with nothing else running at that pace. 2 000 writes each.

## What bounds the recording of payments

Both cores are busy. A payment costs the ledger process about 0.3 ms, nearly half of it in the two \`writev\` calls that reach PostgreSQL, and PostgreSQL about 1.1 ms: one statement adds 20 index entries over five tables, checks seven composite foreign keys, and runs the trigger that balances the entry and keeps the balances. Without the foreign keys of the journal and the trigger the same code was 1.4 times as fast; they stay, since they are the promise. TPC-B updates three rows in place and inserts one without an index. Through the gateway the same cores also carry the gateway, the relay, NATS and four services that read each event.

## What bounds short pages

A page of a few rows takes some three milliseconds, of which PostgreSQL has one: what a row shows of the books the ledger is asked over gRPC once the rows are known, where what is written by hand asks the ledger's database itself. The rest is HTTP, the check of who asks, and JSON. Asked while the rows are being read it takes as long: two cores carry the client, both services and PostgreSQL. From run to run such a page varies by half.

## What bounds imports

A row costs all processes together two to four milliseconds of processor time, and no more among ten times as many: its rules, its commit with the key it is known by for good, its events, its entries in search, activity and audit log, and the copies that the ledger keeps. \`COPY\` writes a line of text and nothing else.

## What bounds the lists of a large organization

A page costs what is on it: it is read in the order of an index, and what earlier pages hold is passed over by id. What is left is \`total\`, which is exact: for a whole list the database keeps it as rows come and go, with what its charges come to; open charges have rows of their own, and everything else counts the rows that match. A filter that matches a hundred times as much is counted a hundred times as long, at about 0.1 µs an index entry; and a name is looked for in every name, since row-level security lets no index answer \`ilike\`: it is not known to keep secrets.
`;
