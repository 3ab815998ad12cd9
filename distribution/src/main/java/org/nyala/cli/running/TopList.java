package org.nyala.cli.running;

/** The lists below the figures of {@code nyala top}: the parts of the live page. */
enum TopList {
  /** Open connections, in a chosen order. */
  connections('c'),
  /** Operations that run and end by themselves. */
  operations('o'),
  /** The phases of operations, of the last seconds. */
  phases('p'),
  /** Alarms, and what an examination has found. */
  findings('f'),
  /** Slow requests that have ended, and the clients that have sent most of them. */
  slow('w'),
  /** Locked accounts. */
  locked('l'),
  /** The last notices. */
  notices('n'),
  /** Members of the cluster. */
  members('m'),
  /** Copies of other servers, and epochs. */
  copies('y'),
  /** Searches that go on, such as those of servers that copy this one. */
  followers('u'),
  /** The store, and the processes that read it. */
  store('d'),
  /** Backups, and work on indexes. */
  jobs('b'),
  /** The server as a whole. */
  server('v'),
  /** The states of extensions. */
  extensions('x');

  private final char key;

  TopList(char key) {
    this.key = key;
  }

  /** Returns the key that shows it. */
  char key() {
    return key;
  }
}
