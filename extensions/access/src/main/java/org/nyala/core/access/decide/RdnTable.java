package org.nyala.core.access.decide;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set of RDNs that is asked with bytes, without making a key of them.
 *
 * <p>Immutable. Hot.
 */
final class RdnTable {
  private final @Nullable Rdn[] slots;

  RdnTable(Set<Rdn> rdns) {
    slots = new @Nullable Rdn[Integer.highestOneBit(rdns.size() + 1) * 4];
    for (Rdn rdn : rdns) {
      int at = first(rdn.hashCode());
      while (slots[at] != null) {
        at = at + 1 & slots.length - 1;
      }
      slots[at] = rdn;
    }
  }

  private int first(int hash) {
    return (hash ^ hash >>> 16) & slots.length - 1;
  }

  /** Returns the number of places, more than there are RDNs. */
  int size() {
    return slots.length;
  }

  /** Returns the place of an RDN; -1 if it is not in the set. */
  int find(byte[] rdn, int length) {
    int at = first(Rdn.hash(rdn, length));
    for (Rdn known = slots[at]; known != null; known = slots[at]) {
      if (known.isSame(rdn, length)) {
        return at;
      }
      at = at + 1 & slots.length - 1;
    }
    return -1;
  }
}
