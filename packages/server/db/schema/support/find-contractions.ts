/** Statements that can break a process of the previous release: what it reads or writes is gone or rejected. */
const CONTRACTIONS = [
  /^drop\s+(table|view|function|procedure|type|sequence|schema)\b/,
  /^truncate\b/,
  /^alter\s+table\b.*\bdrop\s+(column\s+)?(?!constraint\b|default\b|not\s+null\b|identity\b|expression\b)\w/,
  /^alter\s+table\b.*\balter\s+(column\s+)?\w+\s+(set\s+data\s+)?type\b/,
  /^alter\s+table\b.*\bset\s+not\s+null\b/,
  /^alter\s+(table|view|type|function)\b.*\brename\b/,
  /^alter\s+table\b.*\badd\s+constraint\b(?!.*\bnot\s+valid\b)/,
  // A column that old inserts do not fill.
  /^alter\s+table\b.*\badd\s+(column\s+)?(?!constraint\b)[^,]*\bnot\s+null\b(?![^,]*\b(default|generated)\b)/,
];

/** The statements without comments, string literals and function bodies, each on one line in lower case. */
function listStatements(sql: string): string[] {
  return sql
    .replace(/--.*$/gm, "")
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replace(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim())
    .filter((statement) => statement !== "");
}

/** Statements that a migration must not contain in the release that stops using something. */
export const findContractions = (sql: string): string[] =>
  listStatements(sql).filter((statement) => CONTRACTIONS.some((pattern) => pattern.test(statement)));
