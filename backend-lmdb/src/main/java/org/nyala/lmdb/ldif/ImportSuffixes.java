package org.nyala.lmdb.ldif;

import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dn.Dn;
import org.nyala.core.ldif.LdifName;

/**
 * The DNs at which naming contexts of an import may begin: the configured ones, or else the first
 * DN of the input.
 *
 * <p>Safely shared once {@link #isDecided()}; until then confined to one thread.
 */
final class ImportSuffixes {
  private final List<Dn> suffixes;

  ImportSuffixes(List<Dn> wanted) {
    this.suffixes = new ArrayList<>(wanted);
  }

  /** Returns whether the suffixes are known. */
  boolean isDecided() {
    return !suffixes.isEmpty();
  }

  /** Makes the name the suffix if none is known. */
  void offer(Dn dn) {
    if (suffixes.isEmpty()) {
      suffixes.add(dn);
    }
  }

  /** Returns whether an entry of this name has no parent: it is the top of a naming context. */
  boolean isTop(Dn dn) {
    for (Dn suffix : suffixes) {
      // There is no entry at the empty suffix itself: entries directly below it are at the top.
      boolean isTop = suffix.rdnCount() == 0 ? dn.rdnCount() == 1 : suffix.equals(dn);
      if (isTop) {
        return true;
      }
    }
    return false;
  }

  /** Returns the suffixes as presented, in their order. */
  List<String> names() {
    return suffixes.stream().map(Dn::toString).toList();
  }

  /** Returns the index of the suffix that the name is at or below; -1 if there is none. */
  int indexOf(Dn dn) {
    for (int i = 0; i < suffixes.size(); i++) {
      if (dn.isWithin(suffixes.get(i))) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the number of RDNs of the entry at the top of the naming context of a name. */
  int topOf(Dn dn) {
    int index = indexOf(dn);
    return index < 0 ? dn.rdnCount() : Math.max(1, suffixes.get(index).rdnCount());
  }

  @Override
  public String toString() {
    return String.join(" or ", suffixes.stream().map(each -> LdifName.shown(each.raw())).toList());
  }
}
