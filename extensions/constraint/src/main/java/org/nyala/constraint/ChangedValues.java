package org.nyala.constraint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.Pace;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.AttributeType;

/**
 * The values of a stored entry as a change leaves them. Counts values that are kept apart without
 * reading them.
 *
 * <p>Confined to the writer's thread, while a view shows the entry.
 */
final class ChangedValues {
  private final ReadTransaction transaction;
  private final EntryView view;
  private final List<AttributeChange> changes;
  private final boolean mayBeApart;
  private final Pace pace;

  /**
   * Looks at an entry.
   *
   * @param changes one for each attribute that changes
   * @param pace counted down by the stored values that are read
   */
  ChangedValues(
      ReadTransaction transaction, EntryView view, List<AttributeChange> changes, Pace pace) {
    this.transaction = transaction;
    this.view = view;
    this.changes = changes;
    this.mayBeApart = (view.flags() & EntryRecord.LARGE) != 0;
    this.pace = pace;
  }

  /** Returns the number of values that an attribute has before the change, options included. */
  long countBefore(AttributeDescription attribute) {
    long count = 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      if (description(i).isSubtypeOf(attribute)) {
        count += count(i);
      }
    }
    return count;
  }

  /** Returns the number of values that an attribute has after the change, options included. */
  long countAfter(AttributeDescription attribute) {
    long count = countBefore(attribute);
    for (AttributeChange change : changes) {
      if (change.description().isSubtypeOf(attribute)) {
        int index = indexOf(change.description());
        count +=
            switch (change) {
              case AttributeChange.Replaced replaced ->
                  replaced.values().size() - (index < 0 ? 0 : count(index));
              case AttributeChange.Updated updated ->
                  updated.added().size() - updated.removed().size();
            };
      }
    }
    return count;
  }

  /**
   * Returns the values that the change adds to an attribute, or writes with other bytes; of an
   * attribute whose values are kept apart, all that it writes.
   */
  List<byte[]> added(AttributeDescription attribute) {
    List<byte[]> added = new ArrayList<>();
    for (AttributeChange change : changes) {
      if (change.description().isSubtypeOf(attribute)) {
        switch (change) {
          case AttributeChange.Replaced replaced -> {
            Set<ByteBuffer> held = held(change.description());
            for (byte[] value : replaced.values()) {
              if (!held.contains(ByteBuffer.wrap(value))) {
                added.add(value);
              }
            }
          }
          case AttributeChange.Updated updated -> added.addAll(updated.added());
        }
      }
    }
    return added;
  }

  /** Returns the attributes that the entry has before the change or after it. */
  private Set<AttributeDescription> all() {
    Set<AttributeDescription> all = new LinkedHashSet<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      all.add(description(i));
    }
    changes.forEach(change -> all.add(change.description()));
    return all;
  }

  /** Returns the values of an attribute after the change; those read until the pace ends. */
  List<byte[]> after(AttributeDescription attribute) {
    List<byte[]> after = new ArrayList<>();
    for (AttributeDescription each : all()) {
      if (each.isSubtypeOf(attribute)) {
        after.addAll(afterOf(each));
      }
    }
    return after;
  }

  /**
   * Returns the entry after the change, with the attributes of some types alone; what is read until
   * the pace ends.
   */
  Entry after(Dn name, Predicate<AttributeType> types) {
    Entry entry = new Entry(name);
    for (AttributeDescription each : all()) {
      if (types.test(each.type())) {
        afterOf(each).forEach(value -> entry.add(each, value));
      }
    }
    return entry;
  }

  private List<byte[]> afterOf(AttributeDescription attribute) {
    return switch (changeOf(attribute)) {
      case null -> stored(attribute);
      case AttributeChange.Replaced replaced -> replaced.values();
      case AttributeChange.Updated updated -> {
        ValueSet removed = ValueSet.of(attribute.type(), updated.removed());
        List<byte[]> after = stored(attribute);
        after.removeIf(removed::contains);
        after.addAll(updated.added());
        yield after;
      }
    };
  }

  private @Nullable AttributeChange changeOf(AttributeDescription description) {
    for (AttributeChange change : changes) {
      if (change.description().equals(description)) {
        return change;
      }
    }
    return null;
  }

  private AttributeDescription description(int index) {
    return transaction.attributes().description(view.attributeId(index));
  }

  private int indexOf(AttributeDescription description) {
    for (int i = 0; i < view.attributeCount(); i++) {
      if (description(i).equals(description)) {
        return i;
      }
    }
    return -1;
  }

  private @Nullable LargeValues apart(int index) {
    return mayBeApart ? transaction.largeValues(view, index) : null;
  }

  private long count(int index) {
    LargeValues apart = apart(index);
    if (apart != null) {
      return apart.count();
    }
    long count = 0;
    ValueCursor values = new ValueCursor().open(view, index);
    while (values.next()) {
      count++;
    }
    return count;
  }

  private Set<ByteBuffer> held(AttributeDescription description) {
    Set<ByteBuffer> held = new HashSet<>();
    int index = indexOf(description);
    if (index >= 0 && apart(index) == null) {
      stored(description).forEach(value -> held.add(ByteBuffer.wrap(value)));
    }
    return held;
  }

  private List<byte[]> stored(AttributeDescription description) {
    List<byte[]> stored = new ArrayList<>();
    int index = indexOf(description);
    if (index < 0) {
      return stored;
    }
    LargeValues apart = apart(index);
    if (apart != null) {
      apart.rewind();
      while (apart.next() && pace.goesOn()) {
        stored.add(apart.value());
      }
      return stored;
    }
    ValueCursor values = new ValueCursor().open(view, index);
    while (values.next() && pace.goesOn()) {
      stored.add(values.value());
    }
    return stored;
  }
}
