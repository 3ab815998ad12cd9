package org.nyala.core.rules;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.entry.AttributeDescription;

/**
 * The values of one attribute while changes are made to it: all of them, or, for values that are
 * kept apart, the removed and the added ones.
 *
 * <p>Confined to one running operation.
 */
final class PendingValues implements LargeValueLookup {
  private final AttributeDescription description;
  private final List<byte[]> before;
  private final ValueSet removed;
  private final boolean wasApart;
  private ValueSet values;
  private @Nullable LargeValueLookup apart;

  /** Begins with known values; none if the entry lacks the attribute. */
  PendingValues(AttributeDescription description, List<byte[]> before) {
    this(description, before, null);
  }

  /** Begins with values that are kept apart. */
  PendingValues(AttributeDescription description, LargeValueLookup apart) {
    this(description, List.of(), apart);
  }

  private PendingValues(
      AttributeDescription description, List<byte[]> before, @Nullable LargeValueLookup apart) {
    this.description = description;
    this.before = before;
    this.apart = apart;
    wasApart = apart != null;
    removed = new ValueSet(description.type());
    values = ValueSet.of(description.type(), before);
  }

  AttributeDescription description() {
    return description;
  }

  @Override
  public boolean contains(byte[] value) {
    return values.contains(value) || isLeftApart(value);
  }

  private boolean isLeftApart(byte[] value) {
    LargeValueLookup base = apart;
    return base != null && !removed.contains(value) && base.contains(value);
  }

  @Override
  public long count() {
    LargeValueLookup base = apart;
    return values.size() + (base == null ? 0 : base.count() - removed.size());
  }

  /** Returns whether values are still kept apart, and so not loaded. */
  boolean isApart() {
    return apart != null;
  }

  /** Adds a value; false if it is there. */
  boolean add(byte[] value) {
    return !isLeftApart(value) && values.add(value);
  }

  /** Removes a value; false if it is not there. */
  boolean remove(byte[] value) {
    if (values.remove(value) != null) {
      return true;
    }
    return isLeftApart(value) && removed.add(value);
  }

  /** Puts other values in the place of all. */
  void replace(ValueSet others) {
    apart = null;
    values = others.copy();
  }

  /** Returns the values; only if none are kept apart. */
  List<byte[]> toList() {
    return values.toList();
  }

  /** Returns the change to the attribute; null if there is none. */
  @Nullable AttributeChange change() {
    List<byte[]> now = values.toList();
    if (apart != null) {
      return now.isEmpty() && removed.isEmpty()
          ? null
          : new AttributeChange.Updated(description, removed.toList(), now);
    }
    return wasApart || !areSame(before, now)
        ? new AttributeChange.Replaced(description, now)
        : null;
  }

  private static boolean areSame(List<byte[]> some, List<byte[]> others) {
    boolean same = some.size() == others.size();
    for (int i = 0; same && i < some.size(); i++) {
      same = Arrays.equals(some.get(i), others.get(i));
    }
    return same;
  }
}
