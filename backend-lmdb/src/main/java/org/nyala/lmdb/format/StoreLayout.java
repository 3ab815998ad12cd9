package org.nyala.lmdb.format;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.env.StoreException;

/**
 * The part of a store's {@link StoreMeta} that readers need, resolved once per generation.
 *
 * <p>Thread-safe.
 */
public final class StoreLayout {
  private final long generation;
  private final List<Dn> suffixes;
  private final AttributeTable attributes;
  private final IndexSelections selections;

  /**
   * Resolves the meta data of a store.
   *
   * @throws StoreException if a suffix does not parse
   */
  public StoreLayout(StoreMeta meta, Schema schema) {
    this.generation = meta.generation();
    this.attributes = meta.attributes();
    this.selections = new IndexSelections(meta.attributes(), meta.indexes());
    List<Dn> names = new ArrayList<>();
    for (String suffix : meta.suffixes()) {
      names.add(parse(schema, suffix));
    }
    this.suffixes = List.copyOf(names);
  }

  public static Dn parse(Schema schema, String suffix) {
    try {
      byte[] utf8 = suffix.getBytes(StandardCharsets.UTF_8);
      return DnParser.parse(schema, utf8, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      throw new StoreException("the store's suffix " + suffix + " is no DN: " + e.getMessage(), e);
    }
  }

  /** Throws a {@link StoreException} if a suffix is at or below another one. */
  public void requireApart() {
    for (int i = 0; i < suffixes.size(); i++) {
      for (int j = 0; j < suffixes.size(); j++) {
        if (i != j && suffixes.get(i).isWithin(suffixes.get(j))) {
          throw new StoreException(
              "the suffix '"
                  + suffixes.get(i)
                  + "' is at or below the suffix '"
                  + suffixes.get(j)
                  + "': naming contexts of one store must not be nested");
        }
      }
    }
  }

  /** Returns the generation of the meta data. */
  public long generation() {
    return generation;
  }

  /** Returns the DNs of the naming contexts' top entries. */
  public List<Dn> suffixes() {
    return suffixes;
  }

  /** Returns the numbers of attributes. */
  public AttributeTable attributes() {
    return attributes;
  }

  /** Returns the indexes for the attributes of filters. */
  public IndexSelections selections() {
    return selections;
  }

  /** Returns whether an entry of this name has no parent: it is the top of a naming context. */
  public boolean isTop(Dn dn) {
    for (Dn suffix : suffixes) {
      // There is no entry at the empty suffix itself: entries directly below it are at the top.
      boolean isTop = suffix.rdnCount() == 0 ? dn.rdnCount() == 1 : suffix.equals(dn);
      if (isTop) {
        return true;
      }
    }
    return false;
  }

  /** Returns the index of the longest suffix that a name is within, or -1. */
  public int suffixOf(Dn dn) {
    int best = -1;
    int bestCount = -1;
    for (int i = 0; i < suffixes.size(); i++) {
      Dn suffix = suffixes.get(i);
      if (suffix.rdnCount() > bestCount && dn.isWithin(suffix)) {
        best = i;
        bestCount = suffix.rdnCount();
      }
    }
    return best;
  }
}
