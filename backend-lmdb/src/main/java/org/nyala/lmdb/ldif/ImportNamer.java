package org.nyala.lmdb.ldif;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.ldif.LdifName;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.format.ImportNameHash;

/**
 * Parses the DNs of entries and works out the parts that the store keeps. Siblings are adjacent in
 * most files, so a parent is parsed once and then recognised by its bytes.
 *
 * <p>Confined to one running operation. Hot.
 */
final class ImportNamer {
  private static final int PARENTS = 256;

  private record Parent(byte[] raw, int length, long high, long low, int rdns, int suffix) {}

  private final Schema schema;
  private final ImportSuffixes suffixes;
  private final EntryBounds bounds;
  private final ImportNameHash hash;
  private final @Nullable Parent[] parents = new @Nullable Parent[PARENTS];
  private Dn name = Dn.EMPTY;

  ImportNamer(Schema schema, ImportSuffixes suffixes, EntryBounds bounds, ImportNameHash hash) {
    this.schema = schema;
    this.bounds = bounds;
    this.suffixes = suffixes;
    this.hash = hash;
  }

  /**
   * Fills in the row's names.
   *
   * @return the fault of the name, or null
   */
  @Nullable String parse(byte[] raw, ImportBatch.Row row) {
    int comma = firstSeparator(raw);
    Parent parent = comma < 0 ? null : find(raw, comma + 1);
    try {
      if (parent == null) {
        return parseWhole(raw, comma, row);
      }
      if (parent.rdns >= bounds.dnRdns()) {
        return "invalid DN: more than " + bounds.dnRdns() + " RDNs";
      }
      // Counts the comma, and the name as it is shown: escapes may have made the parent's name
      // longer.
      int most = bounds.dnLength() - parent.length - 1;
      name = DnParser.parse(schema, Arrays.copyOf(raw, comma), most, 1);
      if (name.rdnCount() != 1) {
        return "the DN begins with an empty RDN";
      }
      fill(row, parent.high, parent.low);
      row.suffix = parent.suffix;
      return null;
    } catch (InvalidDnException e) {
      return "invalid DN: " + e.getMessage();
    }
  }

  private @Nullable String parseWhole(byte[] raw, int comma, ImportBatch.Row row)
      throws InvalidDnException {
    Dn dn = DnParser.parse(schema, raw, bounds.dnLength(), bounds.dnRdns());
    if (dn.rdnCount() == 0) {
      return "the root DSE cannot be imported";
    }
    suffixes.offer(dn);
    name = dn;
    row.suffix = suffixes.indexOf(dn);
    if (row.suffix < 0) {
      return outside(raw);
    }
    hash.reset();
    for (int i = dn.rdnCount() - 1; i > 0; i--) {
      hash.descend(dn.normalizedRdn(i));
    }
    long high = hash.high();
    long low = hash.low();
    fill(row, high, low);
    if (suffixes.isTop(dn)) {
      row.isTop = true;
      row.normalizedName = dn.normalized();
    } else if (comma >= 0) {
      byte[] rest = Arrays.copyOfRange(raw, comma + 1, raw.length);
      parents[bucket(rest, 0)] =
          new Parent(rest, dn.parent().raw().length, high, low, dn.rdnCount() - 1, row.suffix);
    }
    return null;
  }

  private String outside(byte[] raw) {
    return "not within the suffix "
        + suffixes
        + ": "
        + LdifName.shown(raw)
        + "; for all naming contexts of the data, name their suffixes in nyala.suffixes of the"
        + " configuration, or in --suffix";
  }

  /**
   * Returns the reason why an entry has no parent: the highest entry above it that is missing, and
   * the nearest one that exists.
   *
   * @param raw the entry's DN, which was parsed before
   * @param builder has the entries that exist
   */
  String orphaned(byte[] raw, ImportBuilder builder) {
    Dn dn;
    try {
      dn = DnParser.parse(schema, raw, bounds.dnLength(), bounds.dnRdns());
    } catch (InvalidDnException _) {
      return ImportBuilder.NO_PARENT;
    }
    int nearest = 0;
    hash.reset();
    for (int i = dn.rdnCount() - 1; i > 0; i--) {
      hash.descend(dn.normalizedRdn(i));
      if (builder.hasEntry(hash.high(), hash.low())) {
        nearest = i;
      }
    }
    int missing = nearest == 0 ? dn.rdnCount() - suffixes.topOf(dn) : nearest - 1;
    return ImportBuilder.NO_PARENT
        + ": "
        + LdifName.shown(dn.ancestor(missing).raw())
        + " is missing or was rejected, above "
        + LdifName.shown(raw)
        + (nearest == 0
            ? "; no entry above it exists"
            : "; the nearest above it is " + LdifName.shown(dn.ancestor(nearest).raw()));
  }

  private void fill(ImportBatch.Row row, long parentHigh, long parentLow) {
    hash.set(parentHigh, parentLow);
    hash.descend(name.normalizedRdn(0));
    row.parentHigh = parentHigh;
    row.parentLow = parentLow;
    row.high = hash.high();
    row.low = hash.low();
    row.normalizedName = name.normalizedRdn(0);
    row.isTop = false;
  }

  /**
   * Returns the name that was parsed last: the whole DN or, below a known parent, its RDN alone.
   */
  Dn name() {
    return name;
  }

  private @Nullable Parent find(byte[] raw, int from) {
    Parent parent = parents[bucket(raw, from)];
    return parent != null && Arrays.equals(parent.raw, 0, parent.raw.length, raw, from, raw.length)
        ? parent
        : null;
  }

  private static int bucket(byte[] raw, int from) {
    int code = 0;
    for (int i = from; i < raw.length; i++) {
      code = 31 * code + raw[i];
    }
    return (code ^ code >>> 8 ^ code >>> 16) & PARENTS - 1;
  }

  /** Returns the end of the first RDN; -1 if only a parser can find it. */
  private static int firstSeparator(byte[] raw) {
    for (int i = 0; i < raw.length; i++) {
      switch (raw[i]) {
        case '\\' -> i++;
        case '"' -> {
          return -1;
        }
        case ',', ';' -> {
          return i;
        }
        default -> {}
      }
    }
    return -1;
  }
}
