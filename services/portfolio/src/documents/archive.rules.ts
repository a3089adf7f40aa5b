/** The names of files in one folder: each once, later ones numbered as a desktop would. Case makes no difference there. */
export function archiveEntryNames(fileNames: readonly string[]): string[] {
  const taken = new Set<string>();
  return fileNames.map((fileName) => {
    const [, stem, ending] = /^(.*?)(\.[^.]*)?$/su.exec(fileName) as unknown as [string, string, string | undefined];
    let name = fileName;
    for (let copy = 2; taken.has(name.toLowerCase()); copy++) name = `${stem} (${copy})${ending ?? ""}`;
    taken.add(name.toLowerCase());
    return name;
  });
}
