import { Parameter, parametersOf } from './parameter.decorator';

class Base {
  @Parameter({ keepBlank: true })
  First: unknown;
}
class Left extends Base {
  @Parameter()
  Second: unknown;
}
class Right extends Base {
  @Parameter({ plainMessage: 'plain' })
  Second: unknown;

  @Parameter()
  override First: unknown = 1;
}
class None {
  other: unknown;
}

describe('Parameter', () => {
  it('is inherited, in the order of declaration, and does not reach siblings', () => {
    expect([...parametersOf(Base.prototype)]).toEqual([['First', { keepBlank: true }]]);
    expect([...parametersOf(Left.prototype)]).toEqual([
      ['First', { keepBlank: true }],
      ['Second', {}],
    ]);
    expect([...parametersOf(Right.prototype)]).toEqual([
      ['First', {}],
      ['Second', { plainMessage: 'plain' }],
    ]);
    expect([...parametersOf(None.prototype)]).toEqual([]);
  });
});
