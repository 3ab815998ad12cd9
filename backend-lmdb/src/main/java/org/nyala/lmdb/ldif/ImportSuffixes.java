package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dn.Dn;

/**
 * The DNs at which an import lets naming contexts begin: those that were asked for, else the first
 * DN of the input.
 *
 * <p>Safely shared once {@link #isDecided()}; until then confined to one thread.
 */
final class ImportSuffixes {
  private final List<Dn> suffixes;

  ImportSuffixes(List<Dn> wanted) {
    this.suffixes = new ArrayList<>(wanted);
  }

  /** Whether the suffixes are known. */
  boolean isDecided() {
    return !suffixes.isEmpty();
  }

  /** Takes the name as the suffix if none is known. */
  void offer(Dn dn) {
    if (suffixes.isEmpty()) {
      suffixes.add(dn);
    }
  }

  /** Whether an entry of this name has no parent: the top of a naming context. */
  boolean isTop(Dn dn) {
    for (Dn suffix : suffixes) {
      // Nothing stands at the empty suffix itself: what is right below it is at the top.
      boolean isTop = suffix.rdnCount() == 0 ? dn.rdnCount() == 1 : suffix.equals(dn);
      if (isTop) {
        return true;
      }
    }
    return false;
  }

  /** The suffixes as presented, in their order. */
  List<String> names() {
    return suffixes.stream().map(Dn::toString).toList();
  }

  /** Whether the name is at or below one of the suffixes. */
  boolean contains(Dn dn) {
    for (Dn suffix : suffixes) {
      if (dn.isWithin(suffix)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return suffixes.toString();
  }
}
