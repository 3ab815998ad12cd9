package org.nyala.core.access.decide;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.dn.Dn;

/**
 * A place of the tree in the form with which names are compared.
 *
 * <p>Immutable.
 */
final class CompiledPlace {
  private final Place place;

  /** For each RDN its normal form, or the start of those that fit if it is not fixed. */
  private final Rdn[] rdns;

  private final @Nullable String[] captures;

  /** For each RDN whether it is written out. */
  private final boolean[] isFixed;

  CompiledPlace(Place place) {
    this.place = place;
    DnPattern name = place.name();
    captures = new @Nullable String[name.dn().rdnCount()];
    rdns = new Rdn[captures.length];
    isFixed = new boolean[captures.length];
    for (int i = 0; i < captures.length; i++) {
      captures[i] = name.captureAt(i);
      isFixed[i] = name.isFixedAt(i);
      rdns[i] = new Rdn(isFixed[i] ? name.dn().normalizedRdn(i) : name.prefixAt(i));
    }
  }

  /** Returns whether the place is the whole tree. */
  static boolean isEverywhere(Place place) {
    return place.equals(Place.EVERYWHERE);
  }

  Place place() {
    return place;
  }

  /** Returns the number of RDNs of the name. */
  int depth() {
    return rdns.length;
  }

  /** Returns the number of levels above a name of so many RDNs, or -1 if it is not in scope. */
  int levelsUp(int nameDepth) {
    return place.scope().levelsUp(nameDepth, rdns.length);
  }

  /** The RDN of the name, or the start of those that fit if it is not fixed. */
  Rdn rdn(int index) {
    return rdns[index];
  }

  /** Returns whether an RDN is written out, and not a capture or any value. */
  boolean isFixed(int index) {
    return isFixed[index];
  }

  /** The name of the capture at an RDN; null if it is fixed or may have any value. */
  @Nullable String captureAt(int index) {
    return captures[index];
  }

  /** Returns the RDN that a capture is; -1 if there is no such capture. */
  int indexOf(String capture) {
    return Arrays.asList(captures).indexOf(capture);
  }

  /** Returns whether an RDN is the one there, or may be if it is not fixed. */
  boolean fits(int index, byte[] normalizedRdn) {
    int length = normalizedRdn.length;
    return isFixed(index)
        ? rdns[index].isSame(normalizedRdn, length)
        : rdns[index].isStartOf(normalizedRdn, length);
  }

  /** Returns whether an entry of this name is in the place. */
  boolean contains(Dn name) {
    int levels = levelsUp(name.rdnCount());
    if (levels < 0) {
      return false;
    }
    for (int i = 0; i < rdns.length; i++) {
      if (!fits(i, name.normalizedRdn(levels + i))) {
        return false;
      }
    }
    return true;
  }
}
