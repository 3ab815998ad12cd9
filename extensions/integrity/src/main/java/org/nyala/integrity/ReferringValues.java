package org.nyala.integrity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.Pace;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Reads the values of stored entries that are names; values that are kept apart, as there are very
 * many, are looked up and not walked.
 *
 * <p>Confined to the writer's thread, for one change.
 */
final class ReferringValues {
  private static final String OBJECT_CLASS_OID = "2.5.4.0";
  private static final byte[] NOTHING = {};

  /** Values that are looked at for as much as one look-up. */
  private static final int VALUES_PER_LOOKUP = 16;

  private final ReadTransaction transaction;
  private final Schema schema;
  private final Pace pace;
  private final EntryView view = new EntryView();
  private final ValueCursor cursor = new ValueCursor();
  private final ByteAppender normalized = new ByteAppender(256);

  ReferringValues(ReadTransaction transaction, Schema schema, Pace pace) {
    this.pace = pace;
    this.transaction = transaction;
    this.schema = schema;
  }

  private @Nullable LargeValues apart(EntryView entry, int index) {
    return (entry.flags() & EntryRecord.LARGE) == 0 ? null : transaction.largeValues(entry, index);
  }

  /**
   * Returns the value of an attribute that is a name, in its stored form; the given name itself if
   * that is unknown.
   */
  List<byte[]> equal(EntryView entry, int index, Dn name) {
    LargeValues large = apart(entry, index);
    if (large != null) {
      return large.contains(name.raw()) ? List.of(name.raw()) : List.of();
    }
    return matching(entry, index, name.normalized(), false);
  }

  /** Returns the values of an attribute whose normal form begins with a prefix. */
  List<byte[]> withUid(EntryView entry, int index, byte[] prefix) {
    LargeValues large = apart(entry, index);
    if (large == null) {
      return matching(entry, index, prefix, true);
    }
    List<byte[]> found = new ArrayList<>(1);
    AttributeDescription description = description(entry, index);
    large.rewind();
    for (int i = 1; large.next(); i++) {
      byte[] value = large.value();
      if (matches(description, value, prefix, true)) {
        found.add(value);
      }
      if (i % VALUES_PER_LOOKUP == 0 && !pace.goesOn()) {
        break;
      }
    }
    return found;
  }

  /** Returns the values of an attribute that are names below one. */
  List<byte[]> below(EntryView entry, int index, NamesBelow names) {
    List<byte[]> found = new ArrayList<>(0);
    AttributeType type = description(entry, index).type();
    LargeValues large = apart(entry, index);
    if (large == null) {
      cursor.open(entry, index);
      while (cursor.next()) {
        add(found, type, cursor.value(), names);
      }
      return found;
    }
    large.rewind();
    for (int i = 1; large.next(); i++) {
      add(found, type, large.value(), names);
      if (i % VALUES_PER_LOOKUP == 0 && !pace.goesOn()) {
        break;
      }
    }
    return found;
  }

  private static void add(List<byte[]> found, AttributeType type, byte[] value, NamesBelow names) {
    if (names.includes(type, value)) {
      found.add(value);
    }
  }

  private List<byte[]> matching(EntryView entry, int index, byte[] wanted, boolean isPrefix) {
    List<byte[]> found = new ArrayList<>(1);
    AttributeDescription description = description(entry, index);
    cursor.open(entry, index);
    while (cursor.next()) {
      byte[] value = cursor.value();
      if (matches(description, value, wanted, isPrefix)) {
        found.add(value);
      }
    }
    return found;
  }

  private AttributeDescription description(EntryView entry, int index) {
    return transaction.attributes().description(entry.attributeId(index));
  }

  private boolean matches(
      AttributeDescription description, byte[] value, byte[] wanted, boolean isPrefix) {
    if (!normalize(description, value)) {
      return false;
    }
    int length = isPrefix ? Math.min(normalized.length(), wanted.length) : normalized.length();
    return Arrays.equals(normalized.array(), 0, length, wanted, 0, wanted.length);
  }

  private boolean normalize(AttributeDescription description, byte[] value) {
    MatchingRule rule = description.type().equality();
    normalized.clear();
    return rule != null && rule.valueNormalizer().normalize(value, 0, value.length, normalized);
  }

  /** Returns whether a value is the name of the given normal form. */
  boolean isName(AttributeDescription description, byte[] value, byte[] name) {
    return matches(description, value, name, false);
  }

  /** Returns whether an attribute has a value. */
  boolean contains(EntryView entry, int index, byte[] value) {
    LargeValues large = apart(entry, index);
    if (large != null) {
      return large.contains(value);
    }
    AttributeDescription description = description(entry, index);
    if (!normalize(description, value)) {
      return false;
    }
    return !matching(entry, index, normalized.toByteArray(), false).isEmpty();
  }

  /** Returns the part of a value after the name: nothing, or {@code #'01'B}. */
  byte[] uid(AttributeDescription description, byte[] value, int normalizedNameLength) {
    return normalize(description, value) && normalized.length() > normalizedNameLength
        ? Arrays.copyOfRange(normalized.array(), normalizedNameLength, normalized.length())
        : NOTHING;
  }

  /** Returns whether the RDN of an entry contains a value. */
  boolean isNaming(Dn name, AttributeDescription description, byte[] value) {
    if (name.rdnCount() == 0 || !description.options().isEmpty()) {
      return false;
    }
    try {
      for (NamingValue naming : DnParser.namingValues(schema, name.rdn(0))) {
        if (naming.type().equals(description.type()) && normalize(description, value)) {
          byte[] own = normalized.toByteArray();
          if (matches(description, naming.value(), own, false)) {
            return true;
          }
        }
      }
      return false;
    } catch (InvalidDnException e) {
      throw new IllegalStateException("an entry has an invalid RDN", e);
    }
  }

  /** Moves to the entry that {@link #count} and {@link #isRequired} look at. */
  void show(long entryId) {
    if (!transaction.read(entryId, view)) {
      throw new IllegalStateException("entry " + entryId + " has gone");
    }
  }

  /** Returns the number of values that the entry has of a type, with any options. */
  long count(AttributeType type) {
    long count = 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      if (description(view, i).type().equals(type)) {
        LargeValues large = apart(view, i);
        if (large != null) {
          return large.count();
        }
        cursor.open(view, i);
        while (cursor.next()) {
          count++;
        }
      }
    }
    return count;
  }

  /** Returns whether the entry's classes require the attribute. */
  boolean isRequired(AttributeType type) {
    List<byte[]> classes = new ArrayList<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      if (description(view, i).type().oid().equals(OBJECT_CLASS_OID)) {
        cursor.open(view, i);
        while (cursor.next()) {
          classes.add(cursor.value());
        }
      }
    }
    return schema.classSet(classes).must().contains(type);
  }
}
