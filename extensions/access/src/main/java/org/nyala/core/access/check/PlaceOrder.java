package org.nyala.core.access.check;

import java.util.Arrays;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;

/** Compares places: whether all entries of one are certainly in another. */
final class PlaceOrder {
  private PlaceOrder() {}

  /** Returns whether all entries of a place are in another one. */
  static boolean contains(Place whole, Place part) {
    int levels = part.name().dn().rdnCount() - whole.name().dn().rdnCount();
    return levels >= 0
        && contains(whole.scope(), part.scope(), levels)
        && endsAlike(whole.name(), part.name(), levels);
  }

  private static boolean contains(Scope whole, Scope part, int levels) {
    return switch (whole) {
      case SUBTREE -> true;
      case BELOW -> levels > 0 || part == Scope.BELOW || part == Scope.DIRECTLY_BELOW;
      case DIRECTLY_BELOW ->
          levels == 0 ? part == Scope.DIRECTLY_BELOW : levels == 1 && part == Scope.ENTRY;
      case ENTRY -> levels == 0 && part == Scope.ENTRY;
    };
  }

  private static boolean endsAlike(DnPattern whole, DnPattern part, int levels) {
    for (int i = 0; i < whole.dn().rdnCount(); i++) {
      if (!fits(whole, i, part, levels + i)) {
        return false;
      }
    }
    return true;
  }

  /* A capture fits values of its type alone, and a fixed RDN itself alone. */
  private static boolean fits(DnPattern whole, int index, DnPattern part, int partIndex) {
    boolean isPartAny = !part.isFixedAt(partIndex);
    byte[] rdn = part.dn().normalizedRdn(partIndex);
    if (whole.isFixedAt(index)) {
      return !isPartAny && Arrays.equals(whole.dn().normalizedRdn(index), rdn);
    }
    byte[] prefix = whole.prefixAt(index);
    boolean hasPrefix =
        rdn.length >= prefix.length
            && Arrays.equals(prefix, 0, prefix.length, rdn, 0, prefix.length);
    return hasPrefix && (isPartAny || hasOneValue(rdn));
  }

  /* A plus sign may be part of a value: then nothing is certain. */
  private static boolean hasOneValue(byte[] rdn) {
    for (byte b : rdn) {
      if (b == '+') {
        return false;
      }
    }
    return true;
  }
}
