import { ReloadedFiles } from '../../../config/reloaded-files';
import { FileCredentials } from './upstream-credentials';

describe('FileCredentials', () => {
  let content: string | undefined;
  let credentials: FileCredentials;

  beforeEach(() => {
    content = 'first';
    const logger = { log: () => undefined, warn: () => undefined };
    const file = new ReloadedFiles({ paths: [], load: () => content, initial: 'first', label: 'It', logger });
    credentials = new FileCredentials(file, (value) => ({ Authorization: value }));
  });

  it('D35 has one object for each value', () => {
    expect(credentials.headers()).toBe(credentials.headers());
    expect(credentials.headers()).toEqual({ Authorization: 'first' });
  });

  it('D35 after 401 reads the file at once, and has no other where it is the same or unusable', () => {
    const first = credentials.headers();
    expect(credentials.replace(first)).toBeUndefined();
    content = undefined;
    expect(credentials.replace(first)).toBeUndefined();
    content = 'second';
    const second = credentials.replace(first);
    expect([second, credentials.headers()]).toEqual([{ Authorization: 'second' }, { Authorization: 'second' }]);
    expect(credentials.replace(first)).toBe(second);
    expect(credentials.replace(credentials.headers())).toBeUndefined();
  });
});
