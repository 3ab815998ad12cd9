package org.nyala.loadtest.failover;

/**
 * Something that is not as the answers of servers said. Immutable.
 *
 * @param kind what is wrong
 * @param entry the number of the entry
 * @param operation the place of the operation that is not there, or should not be; -1 for none
 * @param servers the servers that show it, a bit for the place of each
 * @param text what was found there
 */
record Finding(Kind kind, int entry, int operation, long servers, String text) {
  /** The kinds of findings. */
  enum Kind {
    /** An addition or a modification was acknowledged, and is not there. */
    LOST,
    /** A deletion was acknowledged, and the entry is there. */
    RESURRECTED,
    /** Attributes that were changed together differ. */
    HALF,
    /** A change that the server refused, or that nobody made, is there. */
    REFUSED,
    /** Servers have different numbers in an entry. */
    DIFFERING
  }

  boolean isAt(int server) {
    return (servers >>> server & 1) != 0;
  }
}
