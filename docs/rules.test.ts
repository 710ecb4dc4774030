import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['app', 'components', 'db', 'docs', 'e2e', 'scripts', 'server'];
const ID = /\b(?:R-[A-Z]+|OPS|HOUSE)-\d+\b/g;

interface RuleBook {
  demanded: ReadonlySet<string>;
  reserved: ReadonlySet<string>;
}

/** A rule is a list item that opens with its id in bold; a reserved one opens a row of a table. */
function readRuleBook(page: string): RuleBook {
  const firsts = (pattern: RegExp) => new Set([...page.matchAll(pattern)].map((match) => match[1] ?? ''));
  return {
    demanded: firsts(/^- \*\*((?:R-[A-Z]+|OPS|HOUSE)-\d+)\*\* \S/gm),
    reserved: firsts(/^\| ((?:R-[A-Z]+|OPS|HOUSE)-\d+) \|/gm),
  };
}

/** The words of a call such as `it.skip.each(table)`, outermost first: `['it', 'skip', 'each']`. */
function wordsOf(callee: ts.Expression): readonly string[] {
  if (ts.isIdentifier(callee)) return [callee.text];
  if (ts.isPropertyAccessExpression(callee)) return [...wordsOf(callee.expression), callee.name.text];
  if (ts.isCallExpression(callee)) return wordsOf(callee.expression);
  return ts.isTaggedTemplateExpression(callee) ? wordsOf(callee.tag) : [];
}

/** The names of all tests and suites of a source that run; of a template its fixed parts. */
function testNames(source: string): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [verb = '', ...more] = wordsOf(node.expression);
      const name = node.arguments[0];
      const isTest = ['it', 'test', 'describe'].includes(verb);
      if (isTest && more.some((word) => ['skip', 'todo', 'fixme', 'fails'].includes(word))) return;
      if (isTest && name && ts.isStringLiteralLike(name)) names.push(name.text);
      if (isTest && name && ts.isTemplateExpression(name)) {
        names.push([name.head.text, ...name.templateSpans.map((span) => span.literal.text)].join('…'));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('names.tsx', source, ts.ScriptTarget.Latest));
  return names;
}

function testFiles(): readonly string[] {
  return FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(test\.tsx?|spec\.ts|conformance\.ts)$/.test(file))
      .map((file) => join(root, folder, file)),
  );
}

/** Rules that no test's name carries, and ids in names that are on no page. */
function compare(book: RuleBook, names: readonly string[]) {
  const named = new Set(names.flatMap((name) => name.match(ID) ?? []));
  return {
    unproven: [...book.demanded].filter((id) => !named.has(id)),
    unknown: [...named].filter((id) => !book.demanded.has(id) && !book.reserved.has(id)).sort(),
  };
}

describe('HOUSE-4 the rules and their tests', () => {
  const book = readRuleBook(readFileSync(join(root, 'docs/rules.md'), 'utf8'));
  const { unproven, unknown } = compare(
    book,
    testFiles().flatMap((file) => testNames(readFileSync(file, 'utf8'))),
  );

  it('every rule is in the name of a test', () => {
    expect(unproven).toEqual([]);
  });

  it('no test names a rule that is not on the page', () => {
    expect(unknown).toEqual([]);
  });

  it('no rule is both built and not built yet', () => {
    expect([...book.demanded].filter((id) => book.reserved.has(id))).toEqual([]);
    expect(book.demanded.size).toBeGreaterThan(80);
  });
});

describe('HOUSE-4 the comparison', () => {
  const page = '- **R-LAD-1** Climbs.\n- **R-LAD-2** Waits.\n\n| rule | |\n|---|---|\n| R-SBX-1 | later |\n';
  const source = `
    describe('the ladder', () => {
      it('R-LAD-1 climbs', () => {});
      it.skip('R-LAD-2 is skipped', () => {});
      // it('R-LAD-2 is a remark', () => {});
      it.each([1])('R-SBX-1 %s', () => {});
    });
    const text = 'R-LAD-2 is only text';`;

  it('sees a rule without a test', () => {
    expect(compare(readRuleBook(page), testNames(source))).toEqual({ unproven: ['R-LAD-2'], unknown: [] });
  });

  it('sees an id that is on no page', () => {
    const names = testNames(`${source}\ntest(\`R-LAD-2 R-LAD-9 \${1}\`, () => {});`);
    expect(compare(readRuleBook(page), names)).toEqual({ unproven: [], unknown: ['R-LAD-9'] });
  });

  it('is content when every rule has its test', () => {
    const names = testNames(`${source}\nit.each\`a\`('R-LAD-2 waits', () => {});`);
    expect(compare(readRuleBook(page), names)).toEqual({ unproven: [], unknown: [] });
  });
});
