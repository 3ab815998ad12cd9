package org.nyala.core.operation.update;

import java.util.Collection;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * The rights of the client of an update to the values of one entry.
 *
 * <p>Confined to one running operation.
 */
final class ValueRights {
  private final EntryRights rights;
  private final Profile profile;

  ValueRights(EntryRights rights, Profile profile) {
    this.rights = rights;
    this.profile = profile;
  }

  /** Returns whether there is a right to a value, whether the entry has it or not. */
  boolean has(AttributeDescription attribute, Right right, byte[] value) {
    return rights.has(profile, right, attribute, value);
  }

  /** Returns whether there is a right to each of some values. */
  boolean has(AttributeDescription attribute, Right right, Collection<byte[]> values) {
    return switch (profile.onValues(attribute, right)) {
      case GRANTED -> true;
      case DENIED -> values.isEmpty();
      case DEPENDS -> values.stream().allMatch(value -> has(attribute, right, value));
    };
  }

  /** Returns whether there is a right to an attribute as a whole and to all values it may have. */
  boolean hasAll(AttributeDescription attribute, Right right) {
    return Rights.has(profile.rights(attribute), right)
        && profile.onValues(attribute, right) == Answer.GRANTED;
  }

  /**
   * Returns whether there is a right to all values that an attribute has. If it has none, the right
   * is that to the attribute as a whole: nobody learns that it has none who may not change some. Of
   * values that are kept apart, none is looked at.
   */
  boolean hasOnStored(
      AttributeDescription attribute, Right right, ReadTransaction transaction, EntryView entry) {
    return switch (profile.onValues(attribute, right)) {
      case GRANTED -> true;
      case DENIED -> false;
      case DEPENDS -> {
        int index = index(attribute, transaction, entry);
        yield index < 0
            ? Rights.has(profile.rights(attribute), right)
            : hasOnEach(attribute, right, entry, index);
      }
    };
  }

  private boolean hasOnEach(
      AttributeDescription attribute, Right right, EntryView entry, int index) {
    if (entry.largeValues(index) != null) {
      return false;
    }
    ValueCursor values = new ValueCursor().open(entry, index);
    boolean has = true;
    while (has && values.next()) {
      has = has(attribute, right, values.value());
    }
    return has;
  }

  /** Returns the place of an attribute in an entry; negative if it is not there. */
  static int index(AttributeDescription attribute, ReadTransaction transaction, EntryView entry) {
    for (int i = 0; i < entry.attributeCount(); i++) {
      if (transaction.attributes().description(entry.attributeId(i)).equals(attribute)) {
        return i;
      }
    }
    return -1;
  }
}
