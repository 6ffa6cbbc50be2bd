// Ends a child process before it can listen.
process.exit(7);
