// Keeps a child process from hearing that its parent let go of it.
const once = process.once.bind(process);
process.once = (event, listener) => (event === 'disconnect' ? process : once(event, listener));
