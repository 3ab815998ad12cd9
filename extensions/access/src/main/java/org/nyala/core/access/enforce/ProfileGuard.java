package org.nyala.core.access.enforce;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.EntryAccess;
import org.nyala.core.access.decide.RuledProfile;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.RestrictedItems;
import org.nyala.core.message.FilterNode;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.rights.TestedAttributes;

/**
 * Lets through the items of a filter that the client may test in entries with one profile. Presence
 * takes a right to an attribute as a whole, equality one to the value asked for, every other test
 * one to all values: it would find out about those that are hidden.
 *
 * <p>Confined to one running operation.
 */
final class ProfileGuard implements GuardedFilter.Guard {
  /** The units of work that asking for a right takes, beside the normalizing of a value. */
  private static final int ASK_UNITS = 8;

  private final EntryAccess access;
  private final RuledProfile profile;
  private final AttributeTable table;

  /**
   * Creates a guard.
   *
   * @param access finds the rights to single values
   * @param profile the client's rights
   * @param table the attributes that entries have
   */
  ProfileGuard(EntryAccess access, RuledProfile profile, AttributeTable table) {
    this.access = access;
    this.profile = profile;
    this.table = table;
  }

  @Override
  public Part of(FilterNode item, LongConsumer work) {
    AttributeDescription tested = TestedAttributes.of(access.schema(), item);
    if (tested == null) {
      return Part.SOME;
    }
    byte[] value = TestedAttributes.value(item);
    boolean isWhole = item instanceof FilterNode.Present;
    if (!mayTest(tested, value, isWhole)) {
      return Part.NONE;
    }
    Set<AttributeDescription> kinds = access.kinds(table, tested, work);
    work.accept((long) kinds.size() * (ASK_UNITS + (value == null ? 0 : value.length)));
    for (AttributeDescription kind : kinds) {
      if (!mayTest(kind, value, isWhole)) {
        return Part.SOME;
      }
    }
    return Part.ALL;
  }

  private boolean mayTest(
      AttributeDescription attribute, byte @Nullable [] value, boolean isWhole) {
    if (isWhole) {
      return Rights.has(profile.rights(attribute), Right.SEARCH);
    }
    Answer answer = profile.onValues(attribute, Right.SEARCH);
    return answer == Answer.GRANTED
        || answer == Answer.DEPENDS
            && value != null
            && Rights.has(
                access.rights(profile, attribute, ByteBuffer.wrap(value), 0, value.length),
                Right.SEARCH);
  }

  @Override
  public CompiledFilter restricted(CompiledFilter test) {
    return RestrictedItems.of(test, new ProfileRights(profile, Right.SEARCH, false));
  }
}
