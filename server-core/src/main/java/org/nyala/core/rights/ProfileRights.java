package org.nyala.core.rights;

import org.jspecify.annotations.Nullable;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.AttributeRights;

/**
 * The attributes to all values of which there is a right; those to some of whose values there is,
 * too, if values are asked about one by one.
 *
 * <p>Thread-safe.
 *
 * @param profile the client's rights to entries
 * @param right the right
 * @param withDepending true for attributes to some of whose values there is a right
 */
public record ProfileRights(Profile profile, Right right, boolean withDepending)
    implements AttributeRights {
  @Override
  public boolean @Nullable [] granted(AttributeTable table) {
    boolean[] granted = profile.granted(table, right);
    boolean[] depending = withDepending ? profile.depending(table, right) : null;
    if (granted == null || depending == null) {
      return granted == null ? depending : granted;
    }
    boolean[] either = granted.clone();
    for (int id = 0; id < either.length; id++) {
      either[id] |= depending[id];
    }
    return either;
  }

  @Override
  public boolean isGranted(AttributeTable table, int attributeId) {
    return isGranted(profile.onValues(table, attributeId, right));
  }

  @Override
  public boolean isGranted(AttributeDescription description) {
    return isGranted(profile.onValues(description, right));
  }

  private boolean isGranted(Answer answer) {
    return answer == Answer.GRANTED || withDepending && answer == Answer.DEPENDS;
  }
}
