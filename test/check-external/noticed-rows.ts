import { read } from '../support/read';

export interface NoticedRow {
  readonly name: string;
  readonly by: 'service' | 'check' | 'nobody';
  /** What stands before the fault in `code`: values of the service's responses, or rules of the check. */
  readonly codes: readonly string[];
}

const NOTICED_BY = ['service', 'check', 'nobody'] as const;

/** The faults in the three lists of `docs/connecting.md`, which say who notices them. */
export function noticedRows(): NoticedRow[] {
  const text = read('docs/connecting.md');
  const [, section = ''] = text.split(
    '\n## What the service notices, what only the check notices, what nobody can notice\n',
  );
  const [, ...lists] = (section.split('\n## ')[0] ?? '').split(/^\*\*/m);
  if (lists.length !== NOTICED_BY.length) throw new Error('The section needs three lists');
  return NOTICED_BY.flatMap((by, index) => rowsOf(lists[index] ?? '', by));
}

/** The rows of a list, whose items are what notices, a colon, and the faults. */
function rowsOf(list: string, by: NoticedRow['by']): NoticedRow[] {
  return [...list.matchAll(/^- (.+?): (.+)$/gm)].flatMap(([, notice = '', names = '']) => {
    const codes = [...notice.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return names.split('; ').map((name) => ({ name, by, codes }));
  });
}
