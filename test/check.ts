/** The static checks: format, types, lint, dead code. Each is one line and one count. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name: string) => `${root}node_modules/.bin/${name}`;

const checks: [string, string, string[]][] = [
  ["format", bin("oxfmt"), ["--check"]],
  ["types", bin("tsc"), ["-p", "."]],
  ["lint", bin("oxlint"), ["--type-aware", "--deny-warnings"]],
  ["dead code", bin("knip"), ["--no-progress"]],
];

export async function check(say: (text: string) => void): Promise<{ passed: number; failed: number }> {
  let failed = 0;
  for (const [name, program, args] of checks) {
    const started = performance.now();
    const result = spawnSync(program, args, { cwd: root, encoding: "utf8" });
    const isFine = result.status === 0;
    if (!isFine) failed++;
    say(`${isFine ? "ok  " : "FAIL"} ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)${isFine ? "" : `\n${result.stdout}${result.stderr}`}`);
  }
  return { passed: checks.length - failed, failed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { failed } = await check((text) => process.stdout.write(`${text}\n`));
  process.exit(failed === 0 ? 0 : 1);
}
