/** Renders docs/benchmarks.md: the introduction, a table per group and the notes on measurement. */
import { cpus, totalmem } from "node:os";
import { formatTarget, SECONDS, type BenchmarkResult } from "./measure.ts";

const formatFigure = (value: number, unit: string): string => (unit === "/s" ? `${value.toFixed(0)}/s` : `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`);

const titles = {
  requests: "Requests",
  postings: "Postings",
  trust: "Money held for others",
  lists: "Lists",
  documents: "Documents",
  imports: "Imports",
  blasts: "Blasts",
  fanout: "Fan-out",
  arrival: "Arrival of events",
  growth: "Growth",
  memory: "Memory",
};
export type Group = keyof typeof titles;

const tableHeader = `| Benchmark | Compared with | Measured | Baseline | Ratio | Target |
|---|---|---|---|---|---|`;

const tableRow = (result: BenchmarkResult): string =>
  `| ${result.name} | ${result.against} | ${formatFigure(result.ours, result.unit)} | ${formatFigure(result.theirs, result.unit)} | **${result.ratio.toFixed(2)}** | ${formatTarget(result)} |`;

/** Returns the existing table of a group, or an empty table. */
const existingTable = (document: string, group: Group): string => document.split(`## ${titles[group]}\n\n`)[1]?.split("\n\n")[0] ?? tableHeader;

/** Returns the whole document with a group's new results; the tables of the other groups are preserved. */
export function renderReport(measuredGroup: Group, results: readonly BenchmarkResult[], document: string): string {
  const tables = (Object.keys(titles) as Group[]).map((group) => {
    const table = group === measuredGroup ? [tableHeader, ...results.map(tableRow)].join("\n") : existingTable(document, group);
    return `## ${titles[group]}\n\n${table}\n`;
  });
  return `# Benchmarks

\`npm run bench\` prints this page; \`BENCH_ONLY=${Object.keys(titles).join()}\` selects groups. Each row compares a figure with a fixed limit, or with a baseline of the same run that is measured alternately, three times each; the ratio is the median of the three. Rates are measured for ${SECONDS} s. PostgreSQL runs with \`fsync\` on, rate limits are off, and all processes share the machine: ${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}. Compare the ratios; the absolute figures are valid for this machine only.

${tables.join("\n")}${notes}`;
}

const notes = `
## How it is measured

**Growth.** Three organizations share the tables: a large one with 5 million journal lines and 40 000 leases, a second one of the same size, and a small one of a hundredth of that size. SQL on the server fills them (\`BENCH_GROWTH_LINES\` sets the size; nearly 12 GB at full size, in a temporary directory that is removed). Queries then check every foreign key, the balance of every entry, the stored balances and the open charges, and a request checks the trial balance. The requests go to the service directly, one after the other, alternately for the large and the small organization; the time is the median. Each page and filter of a list is compared with the same number of rows on the page in both organizations, and the list is represented by the one that grows most. Filters have no target: the rows of one property are spread among the rows of 40 000 leases, and a count of a hundred times as many matches takes a hundred times as long. Searches use whole and partial names, phone numbers, amounts, addresses and misspelled names in turn. Payments are recorded for any of ten thousand tenants in the large organization and of a hundred in the small one.

**Postings.** The recurring charges of one organization are posted for a month, in the process of the benchmark, a hundred charges in a transaction: entries, lines, charges, events, totals, open charges and search words, with every check. The baseline inserts the same rows of four tables into copies of them that have a primary key only, a hundred charges in a transaction on one connection. The organization has the thirty months of history of the growth benchmarks.

**Money held for others.** An organization of the growth benchmarks in which each property has an owner and an agreement about fees in percent, and all payments are in one bank account. The payouts and fees are those of the last month, all properties in one request through the gateway. The statement of another account has as many lines as the account has transactions, up to two days apart. The last row pays bills of one property one after the other, with the policy \`trustOverdraft\` \`block\` and \`off\`.

**Lists.** Two organizations, each with 5 000 properties, 100 000 units and tenants, 150 000 leases and 250 000 work orders (\`BENCH_UNITS\` sets the size). A page has twenty rows and is requested from the service. The baseline is a process with the same Express and two handwritten, prepared statements without row-level security: one for the visible columns of the rows and one for their count. Where a list shows balances, a third statement reads them from the ledger's database. Before the measurement, both must return the same rows and the same count for each page and filter; the list is represented by the worst one. The export has all units with the columns of the list; \`COPY\` sends one handwritten statement that computes the derived columns of all units at once. The last row makes 2 000 leases without a predecessor pending, with today as their start, and measures the time until the daily job has activated all of them, fifty in a transaction.

**Documents.** Twenty files of 25 MiB are uploaded at once through the gateway and then downloaded at once, three times after a warm-up round. Before each round the processes collect their garbage. The growth is the highest \`VmRSS\` during the round, read every 20 ms, garbage included.

**Imports.** A bundle of the generic form is imported into a new organization each time. The time runs from the validation request until the last row is written, each row by an operation of the service that owns the record. The baseline is one \`COPY\` of the same lines into a table of text columns without an index. The memory is that of the imports process after garbage collection.

**Blasts.** The residents of one property are written to by e-mail, one of a hundred at an address that the mail server refuses. The time runs from the request until each message has been attempted. The baseline writes the rows of recipients and messages of the same blast into copies of their tables, hands each mail to the same mail server over as many connections, and records the result. The memory is that of the communications process after garbage collection.

**Fan-out.** Plain sockets in another process read 5 000 streams of one organization. The time runs from the publication of an event on NATS until the last socket has received it; for the bare server, from the first \`res.write\`. Memory is the growth of the gateway's \`VmRSS\`, with a forced garbage collection before and after. Each process needs two open files per stream: \`ulimit -n 10200\`.

**Arrival.** Clients call \`createVendor\` through the gateway at a steady rate. PostgreSQL records the time of every commit (\`track_commit_timestamp\`), and a client in another process records when the frame arrives. A bare subscriber of NATS, in a third process, records when the same events reach it; the ratio is the overhead of the gateway. The second row compares the whole path with a minimal one: a process commits one row with an envelope of the same size and publishes it to NATS, without JetStream, without an outbox, and with nothing else running at that rate. 2 000 writes each.

**Memory.** \`npm start\` with a new data directory and its demo organization, on Linux. After 100 s without requests, the proportional set size (\`Pss\` of \`/proc/<pid>/smaps_rollup\`) of the launcher, the gateway and the five services is read; pages that processes have in common are divided among them. PostgreSQL and NATS are not included. The processes then have collected the garbage of their start, which they do when they are idle.

## What limits the recording of payments

Payments that arrive together are recorded by one statement, two batches at a time. A transaction of TPC-B takes about 0.8 million processor instructions, including its client. A payment whose charge is due later has two journal entries and takes 11.5 million instructions when it is recorded alone, 4.9 million in a batch of four, and 3.7 million in batches of up to 32; a quarter of these are executed by the ledger process. If the charge is already due, a payment takes 2.8 million in batches of up to 32. The number of instructions does not depend on other load; the rates do. Of the instructions in PostgreSQL, a fifth start some twenty statements, including those of triggers, and are shared by the payments of a batch; a fifth execute the triggers that check the entries and maintain the totals of accounts and lists; an eighth read the input, which is sent as binary arrays; a tenth each maintain the composite foreign keys (eleven for two entries) and the index entries (nearly forty in five tables); the rest write the rows and check their constraints and row-level security. The functions of a batch always read tables by key, so that a new database does not cache plans with sequential scans before its tables are analyzed. Without two foreign keys of the lines, the batch is 6 % faster; they stay, since they enforce the guarantees. TPC-B updates three rows in place and inserts one without an index. A payment that is allocated automatically, or whose batch meets a conflict, is recorded alone. Through the gateway, the same cores also run the gateway, the relay, NATS and four services that read each event.

## What limits short pages

A page of a few rows takes about three milliseconds, of which PostgreSQL takes one. The service fetches balances from the ledger over gRPC after it has read the rows, while the baseline queries the ledger's database directly. The rest is HTTP, authentication and JSON. Fetching the balances while the rows are read takes as long, since two cores run the client, both services and PostgreSQL. The time of such a page varies by half between runs.

## What limits imports

A row takes about one millisecond of CPU time over all processes, and no more in a bundle ten times as large. The time is spent on validation, which writes a row three times (when it is read, linked and evaluated), on the record with its permanent idempotency key, its indexes, its entries in search, activity and audit log, and the ledger's projections. The properties, units, tenants and leases of a commit, up to 200, are inserted by one statement for each table, like the recurring charges of leases whose billing starts together; events, keys and projections are one statement a commit, too. PostgreSQL takes more than half of the CPU time, for some thirty index entries a row. \`COPY\` writes a line of text and nothing else.

## What limits the lists of a large organization

A page costs as much as its rows: it is read in index order, and the rows of earlier pages are skipped by id. The remaining cost is \`total\`, which is exact. The database maintains the total of an unfiltered list, with the sum of its amounts; open charges have rows of their own; every other filter counts the matching rows. A filter with a hundred times as many matches takes a hundred times as long, at about 0.1 µs per index entry. A search finds its candidates in the trigram index of the search entries, through a function with the privileges of the tables' owner that filters by organization itself, since under row-level security no index can serve \`ilike\`: the operator is not marked \`leakproof\`. A search of one or two characters, and the searches of inspections, charges, expense payments and journal entries, compare every row. An export reads pages of a thousand rows by the statement of the list, whose derived columns (for units the status, the lease and the fees) are looked up for each row: of the 60 µs of a row, the service spends half on reading, converting and formatting it, while the database works on the next page.
`;
