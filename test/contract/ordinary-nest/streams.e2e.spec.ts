import { Controller, Get, StreamableFile } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { useStart } from '../../support/service';

/** A body of 4 MiB, of which the first bytes have left, also in gzip, when an error comes. */
function broken(): Readable {
  let parts = 0;
  return new Readable({
    read() {
      parts += 1;
      if (parts < 64) this.push(randomBytes(65_536));
      else setImmediate(() => this.destroy(new RangeError('the table is gone')));
    },
  });
}

@Controller('exports')
class ExportController {
  @Get('csv')
  csv(): StreamableFile {
    return new StreamableFile(broken(), { type: 'text/csv' });
  }
}

const start = useStart();

it.each(['gzip', 'identity'])(
  'D83 a stream that breaks behind its first byte is in the log with its error: %s',
  async (coding) => {
    const { service } = await start({}, { imports: [{ module: class {}, controllers: [ExportController] }] });
    const response = await fetch(`${service.url}/exports/csv`, { headers: { 'Accept-Encoding': coding } });
    await expect(response.text()).rejects.toThrow();
    await service.untilLogged(1);
    expect(service.requestLog).toEqual([
      expect.objectContaining({ status: 500, level: 40, cause: 'the body broke off: RangeError' }),
    ]);
    expect(service.messages('Unexpected error')).toEqual([expect.stringContaining('RangeError')]);
  },
);
