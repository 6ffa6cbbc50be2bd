import { delimiter } from 'node:path';
import { launchChromium } from './chromium';

describe('without Chromium', () => {
  const { PATH, CHROMIUM_PATH } = process.env;
  afterEach(() => {
    process.env.PATH = PATH;
    if (CHROMIUM_PATH === undefined) delete process.env.CHROMIUM_PATH;
    else process.env.CHROMIUM_PATH = CHROMIUM_PATH;
  });

  it.each([
    ['nothing in PATH', undefined],
    ['a wrong CHROMIUM_PATH', `${__dirname}/no-such-browser`],
  ])('%s says what is missing and how to get it', async (_, named) => {
    process.env.PATH = [__dirname, `${__dirname}/nowhere`].join(delimiter);
    if (named === undefined) delete process.env.CHROMIUM_PATH;
    else process.env.CHROMIUM_PATH = named;
    await expect(launchChromium('shipping.test')).rejects.toThrow(
      /Chromium is missing.*apt-get install chromium.*CHROMIUM_PATH/,
    );
  });
});
