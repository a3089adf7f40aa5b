/** Programs that a document prints, run exactly as printed. A comment such as `<!-- example: retries in Node -->` precedes each block. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "../../deploy/system/programs.ts";

const execute = promisify(execFile);

/** Programs that the printed shell scripts call. */
const SHELL_PROGRAMS = ["curl", "jq", "date", "grep", "mktemp", "rm", "sleep", "cut", "tail"];

/** Address in the documents, which a run replaces by that of the system under test. */
const PRINTED_ADDRESS = "http://127.0.0.1:8080";

export interface PrintedPrograms {
  /** Returns the text of a block, with the address of the system under test. */
  blockOf(name: string): string;
  /** Runs a program and returns what it prints. */
  run(name: string): Promise<string>;
  /** Returns the pattern of a printed output, in which … stands for any text. */
  outputPattern(name: string): RegExp;
  /** Removes the temporary files. */
  remove(): void;
}

export function printedPrograms(document: URL, baseUrl: string): PrintedPrograms {
  const text = readFileSync(document, "utf8");
  const dir = mkdtempSync(join(tmpdir(), "freehold-printed-"));
  const bin = join(dir, "bin");

  /** Returns a block and its language, with the address of the system under test. */
  function blockOf(name: string): { language: string; block: string } {
    const [, language, block] = new RegExp(`<!-- ${RegExp.escape(name)} -->\\s*\`\`\`(\\w*)\\n([^]+?)\`\`\``).exec(text) ?? [];
    if (language === undefined || block === undefined) throw new Error(`${document.pathname} has no block after a comment "${name}".`);
    return { language, block: block.replaceAll(PRINTED_ADDRESS, baseUrl) };
  }

  function shellEnvironment(): NodeJS.ProcessEnv {
    if (mkdirSync(bin, { recursive: true })) for (const program of SHELL_PROGRAMS) symlinkSync(findProgram(program), join(bin, program));
    return { ...process.env, PATH: bin };
  }

  /** Returns the file and the program that run a language. */
  function interpreterOf(language: string): { file: string; program: string; env: NodeJS.ProcessEnv } {
    if (language === "bash") return { file: "program.sh", program: "/bin/bash", env: shellEnvironment() };
    if (language === "js") return { file: "program.mjs", program: process.execPath, env: process.env };
    return { file: "program.py", program: findProgram("python3"), env: process.env };
  }

  return {
    blockOf: (name) => blockOf(name).block,
    async run(name) {
      const { language, block } = blockOf(name);
      const { file, program, env } = interpreterOf(language);
      writeFileSync(join(dir, file), block);
      return (await execute(program, [file], { cwd: dir, env })).stdout.trim();
    },
    outputPattern(name) {
      const parts = blockOf(name).block.trim().split("…");
      return new RegExp(`${parts.map((part) => RegExp.escape(part)).join("[^\\n]*?")}$`);
    },
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
