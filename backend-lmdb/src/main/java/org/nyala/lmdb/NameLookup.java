package org.nyala.lmdb;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.lmdb.env.TxnHandle;
import org.nyala.lmdb.format.Dn2IdKeys;
import org.nyala.lmdb.format.StoreLayout;

/**
 * Finds entry ids by name: from the naming context's top down, one look-up per RDN.
 *
 * <p>Confined to one running operation. Hot. For one epoch it remembers the ids of recently used
 * names, and those along the last path, so that a sibling of the last name costs one look-up; the
 * absence of an entry it remembers for one snapshot.
 */
final class NameLookup {
  private static final int SLOTS = 128;
  private static final byte[] NO_RDN = {};

  private final TxnHandle slot;
  private final ByteAppender key = new ByteAppender(Dn2IdKeys.MAXIMUM_LENGTH);
  private final @Nullable Dn[] names = new Dn[SLOTS];
  private final long[] ids = new long[SLOTS];
  private final long[] stamps = new long[SLOTS];

  private @Nullable StoreLayout pathLayout;
  private long pathEpoch = -1;
  private int pathSuffix = -1;
  private int pathLength;
  private byte[][] pathRdns = new byte[16][];
  private long[] pathIds = new long[16];

  NameLookup(TxnHandle slot) {
    this.slot = slot;
  }

  /** Returns the entry id of a name, or {@link ReadTransaction#NO_ENTRY}. */
  long find(Dn dn, StoreLayout layout) {
    int index = dn.hashCode() & SLOTS - 1;
    Dn known = names[index];
    if (known != null && stamps[index] == stamp(ids[index]) && known.equals(dn)) {
      return ids[index];
    }
    int suffix = layout.suffixOf(dn);
    long id = ReadTransaction.NO_ENTRY;
    if (suffix >= 0) {
      int levels = levels(dn, suffix, layout);
      id = walk(dn, suffix, layout) == levels ? pathIds[levels] : ReadTransaction.NO_ENTRY;
    }
    names[index] = dn;
    stamps[index] = stamp(id);
    ids[index] = id;
    return id;
  }

  private long stamp(long id) {
    return id == ReadTransaction.NO_ENTRY ? slot.snapshot() : slot.epoch();
  }

  /**
   * Returns the entry id of the parent of a name below a suffix, whether or not the name itself
   * exists; {@link ReadTransaction#NO_ENTRY} if there is none.
   */
  long findParent(Dn dn, StoreLayout layout) {
    int suffix = layout.suffixOf(dn);
    int above = suffix < 0 ? -1 : levels(dn, suffix, layout) - 1;
    return above >= 0 && walk(dn, suffix, layout) >= above
        ? pathIds[above]
        : ReadTransaction.NO_ENTRY;
  }

  /** Returns the number of RDNs to strip to reach an entry that exists; -1 if there is none. */
  int distanceToNearest(Dn dn, StoreLayout layout) {
    int suffix = layout.suffixOf(dn);
    if (suffix < 0) {
      return -1;
    }
    int found = walk(dn, suffix, layout);
    boolean isNone = found < 0 || pathIds[found] == ReadTransaction.NO_ENTRY;
    return isNone ? -1 : levels(dn, suffix, layout) - found;
  }

  private static int levels(Dn dn, int suffix, StoreLayout layout) {
    return dn.rdnCount() - layout.suffixes().get(suffix).rdnCount();
  }

  /**
   * Walks down as far as entries exist.
   *
   * @return the number of levels below the suffix that exist, with their ids in {@code pathIds}; -1
   *     if not even the suffix exists
   */
  private int walk(Dn dn, int suffix, StoreLayout layout) {
    int levels = levels(dn, suffix, layout);
    prepare(suffix, levels, layout);
    if (pathLength == 0) {
      // The empty suffix has no entry: entries directly below it have the parent 0.
      Dn top = layout.suffixes().get(suffix);
      pathIds[0] = top.rdnCount() == 0 ? 0 : lookUp(0, top.normalized());
      if (pathIds[0] == ReadTransaction.NO_ENTRY && top.rdnCount() > 0) {
        return -1;
      }
      pathRdns[0] = NO_RDN;
      pathLength = 1;
    }
    for (int level = 1; level <= levels; level++) {
      byte[] rdn = dn.normalizedRdn(levels - level);
      if (level < pathLength && Arrays.equals(pathRdns[level], rdn)) {
        continue;
      }
      long id = lookUp(pathIds[level - 1], rdn);
      if (id == ReadTransaction.NO_ENTRY) {
        return level - 1;
      }
      pathIds[level] = id;
      pathRdns[level] = rdn;
      pathLength = level + 1;
    }
    return levels;
  }

  private void prepare(int suffix, int levels, StoreLayout layout) {
    if (pathEpoch != slot.epoch() || pathSuffix != suffix || pathLayout != layout) {
      pathEpoch = slot.epoch();
      pathSuffix = suffix;
      pathLayout = layout;
      pathLength = 0;
    }
    if (levels >= pathIds.length) {
      pathIds = Arrays.copyOf(pathIds, 2 * levels);
      pathRdns = Arrays.copyOf(pathRdns, 2 * levels);
    }
  }

  private long lookUp(long parentId, byte[] name) {
    Dn2IdKeys.append(parentId, name, key.clear());
    var value = slot.get(slot.environment().dn2id(), key.array(), key.length());
    return value == null ? ReadTransaction.NO_ENTRY : value.getLong(value.position());
  }
}
