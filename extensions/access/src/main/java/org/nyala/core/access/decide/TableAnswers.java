package org.nyala.core.access.decide;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;

/**
 * The answers of a profile for the attributes of a table.
 *
 * <p>Thread-safe: answers are computed once, or several times with the same result. Hot.
 */
final class TableAnswers {
  private static final int RIGHTS = Right.values().length;

  private static final int OBJECT_BYTES = 128;

  /** The rights that searches ask for, each with a byte for every attribute. */
  private static final int USUAL_SETS = 2;

  private final AttributeTable table;
  private final int[] rights;
  private final @Nullable Some[] granted = new @Nullable Some[RIGHTS];
  private final @Nullable Some[] depending = new @Nullable Some[RIGHTS];

  /** Some attributes, by their numbers; null for none. A record, so that threads see all of it. */
  private record Some(boolean @Nullable [] attributes) {}

  TableAnswers(AttributeTable table) {
    this.table = table;
    this.rights = new int[table.size() + 1];
  }

  /** The memory that the answers take, in bytes, once the usual ones are given. */
  long bytes() {
    return OBJECT_BYTES + (long) (Integer.BYTES + USUAL_SETS) * rights.length;
  }

  /** The memory of a selection of attributes among those of the table, in bytes. */
  long selectionBytes() {
    return OBJECT_BYTES + (long) rights.length;
  }

  boolean isOf(AttributeTable other) {
    return table == other;
  }

  /** The rights to an attribute, in the form of {@link AttributeAnswer#rights}. */
  int rights(RuledProfile profile, int attributeId) {
    int known = rights[attributeId];
    if (known == 0) {
      known = profile.answer(table.description(attributeId)).rights();
      rights[attributeId] = known;
    }
    return known;
  }

  boolean @Nullable [] granted(RuledProfile profile, Right right) {
    return find(Answer.GRANTED, right, profile, granted);
  }

  boolean @Nullable [] depending(RuledProfile profile, Right right) {
    return find(Answer.DEPENDS, right, profile, depending);
  }

  private boolean @Nullable [] find(
      Answer answer, Right right, RuledProfile profile, @Nullable Some[] found) {
    Some known = found[Rights.number(right)];
    if (known == null) {
      known = new Some(find(answer, right, profile));
      found[Rights.number(right)] = known;
    }
    return known.attributes();
  }

  private boolean @Nullable [] find(Answer answer, Right right, RuledProfile profile) {
    boolean[] found = new boolean[rights.length];
    boolean isAny = false;
    for (int id = 1; id < found.length; id++) {
      found[id] = AttributeAnswer.onValues(rights(profile, id), right) == answer;
      isAny |= found[id];
    }
    return isAny ? found : null;
  }
}
