package org.nyala.core.dn;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A distinguished name (RFC 4514), parsed and normalised once; {@code DnParser} makes it.
 *
 * <p>Immutable. RDN 0 is the entry's own, the last one is the topmost. A normalised RDN is {@code
 * type=value} with the type's preferred name in lower case and the value in the form of its
 * equality rule, several of them sorted and joined by {@code +}; bytes that are special in a DN are
 * escaped, so that joining normalised RDNs with commas is unambiguous.
 */
public final class Dn {
  /** The DN of no RDN: the root DSE, the empty suffix. */
  public static final Dn EMPTY = new Dn(new byte[0], new int[0], new byte[0][]);

  private final byte[] raw;
  private final int[] rdnEnds;
  private final byte[][] normalizedRdns;
  private final int hash;
  private byte @Nullable [] normalized;

  /**
   * Creates a name from its parts; the arrays are kept, not copied.
   *
   * @param raw the name as presented, in UTF-8
   * @param rdnEnds for each RDN the pairs start, end in {@code raw}
   * @param normalizedRdns each RDN in normalised form
   */
  Dn(byte[] raw, int[] rdnEnds, byte[][] normalizedRdns) {
    this.raw = raw;
    this.rdnEnds = rdnEnds;
    this.normalizedRdns = normalizedRdns;
    int code = 1;
    for (byte[] rdn : normalizedRdns) {
      code = 31 * code + Arrays.hashCode(rdn);
    }
    this.hash = code;
  }

  /** Returns the number of RDNs; 0 for the empty name. */
  public int rdnCount() {
    return normalizedRdns.length;
  }

  /** RDN {@code index} as presented, a copy. */
  public byte[] rdn(int index) {
    return Arrays.copyOfRange(raw, rdnEnds[2 * index], rdnEnds[2 * index + 1]);
  }

  /** RDN {@code index} in normalised form. Borrowed, never to be written to. */
  public byte[] normalizedRdn(int index) {
    return normalizedRdns[index];
  }

  /** The whole name as presented, in UTF-8. Borrowed, never to be written to. */
  public byte[] raw() {
    return raw;
  }

  /** The whole name in normalised form, RDNs joined by commas. Borrowed, never to be written to. */
  public byte[] normalized() {
    byte[] known = normalized;
    if (known == null) {
      known = join();
      normalized = known;
    }
    return known;
  }

  private byte[] join() {
    int length = Math.max(0, normalizedRdns.length - 1);
    for (byte[] rdn : normalizedRdns) {
      length += rdn.length;
    }
    byte[] joined = new byte[length];
    int at = 0;
    for (int i = 0; i < normalizedRdns.length; i++) {
      if (i > 0) {
        joined[at++] = ',';
      }
      System.arraycopy(normalizedRdns[i], 0, joined, at, normalizedRdns[i].length);
      at += normalizedRdns[i].length;
    }
    return joined;
  }

  /** The name without its first {@code count} RDNs. */
  public Dn ancestor(int count) {
    if (count == 0) {
      return this;
    }
    if (count == rdnCount()) {
      return EMPTY;
    }
    int from = rdnEnds[2 * count];
    int[] ends = Arrays.copyOfRange(rdnEnds, 2 * count, rdnEnds.length);
    for (int i = 0; i < ends.length; i++) {
      ends[i] -= from;
    }
    return new Dn(
        Arrays.copyOfRange(raw, from, rdnEnds[rdnEnds.length - 1]),
        ends,
        Arrays.copyOfRange(normalizedRdns, count, normalizedRdns.length));
  }

  /**
   * Returns the name of an entry below {@code parent}: this name's RDNs, then the parent's.
   *
   * <p>The parsed forms of both are kept, so that naming a sibling costs no parsing of the parent.
   */
  public Dn under(Dn parent) {
    if (rdnCount() == 0 || parent.rdnCount() == 0) {
      return rdnCount() == 0 ? parent : this;
    }
    byte[] joined = Arrays.copyOf(raw, raw.length + 1 + parent.raw.length);
    joined[raw.length] = ',';
    System.arraycopy(parent.raw, 0, joined, raw.length + 1, parent.raw.length);
    int[] ends = Arrays.copyOf(rdnEnds, rdnEnds.length + parent.rdnEnds.length);
    for (int i = 0; i < parent.rdnEnds.length; i++) {
      ends[rdnEnds.length + i] = parent.rdnEnds[i] + raw.length + 1;
    }
    byte[][] rdns = Arrays.copyOf(normalizedRdns, rdnCount() + parent.rdnCount());
    System.arraycopy(parent.normalizedRdns, 0, rdns, rdnCount(), parent.rdnCount());
    return new Dn(joined, ends, rdns);
  }

  /** The parent's name; the empty name for a name of one RDN or none. */
  public Dn parent() {
    return rdnCount() == 0 ? this : ancestor(1);
  }

  /** Returns whether this name is {@code other} or stands below it, at any distance. */
  public boolean isWithin(Dn other) {
    int above = rdnCount() - other.rdnCount();
    if (above < 0) {
      return false;
    }
    for (int i = 0; i < other.rdnCount(); i++) {
      if (!Arrays.equals(normalizedRdns[above + i], other.normalizedRdns[i])) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Dn that
        && hash == that.hash
        && Arrays.deepEquals(normalizedRdns, that.normalizedRdns);
  }

  @Override
  public int hashCode() {
    return hash;
  }

  /** The name as presented. */
  @Override
  public String toString() {
    return new String(raw, StandardCharsets.UTF_8);
  }
}
