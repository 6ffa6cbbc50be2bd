import { equalsIgnoringCase } from './text';

describe('equalsIgnoringCase', () => {
  it('ignores the case of ASCII letters alone: no other character stands for one', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    for (const letter of letters) {
      const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
      const equal = characters.filter((character) => equalsIgnoringCase(character, letter));
      expect(equal).toEqual([letter, letter.toLowerCase()]);
    }
  });

  it('compares whole texts', () => {
    expect(equalsIgnoringCase('inTRANSIT', 'InTransit')).toBe(true);
    for (const other of ['InTransit ', 'In', '', 'InTrans\u0131t', 'InTran\u017fit']) {
      expect(equalsIgnoringCase('InTransit', other)).toBe(false);
    }
  });
});
