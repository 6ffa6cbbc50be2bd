import { equalsIgnoringCase } from './text';

it('D5 the case of ASCII letters alone is ignored: no other character stands for one', () => {
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  for (const letter of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') {
    const equal = characters.filter((character) => equalsIgnoringCase(character, letter));
    expect(equal).toEqual([letter, letter.toLowerCase()]);
  }
});
