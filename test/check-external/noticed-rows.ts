import { read } from '../support/read';

export interface NoticedRow {
  readonly name: string;
  readonly by: 'service' | 'check' | 'nobody';
  /** What stands before the fault in `code`: values of the service's responses, or rules of the check. */
  readonly codes: readonly string[];
}

const NOTICED_BY = ['service', 'check', 'nobody'] as const;

/** The faults in the three lists of `noticed.md`, which say who notices them. */
export function noticedRows(): NoticedRow[] {
  const [, ...lists] = read('test/check-external/noticed.md').split(/^\*\*/m);
  if (lists.length !== NOTICED_BY.length) throw new Error('There have to be three lists');
  return NOTICED_BY.flatMap((by, index) => rowsOf(lists[index] ?? '', by));
}

/** The rows of a list, whose items are what notices, a colon, and the faults. */
function rowsOf(list: string, by: NoticedRow['by']): NoticedRow[] {
  return [...list.matchAll(/^- (.+?): (.+)$/gm)].flatMap(([, notice = '', names = '']) => {
    const codes = [...notice.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    return names.split('; ').map((name) => ({ name, by, codes }));
  });
}
