package org.nyala.core.rights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntrySnapshot;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.update.CommittedChange;

/**
 * The rights of a client to the entry of a committed change, before it and after: an entry that
 * comes from where the client may not see it is new to it, one that goes there is gone, and a
 * change of what it may not read is none.
 *
 * <p>Confined to one running operation.
 */
public final class ChangeSight {
  /** The changed values that are asked about, so that a slice ends; more of them are told of. */
  private static final int MOST_VALUES = 4096;

  private @Nullable CommittedChange judged;
  private @Nullable EntryRights rights;
  private @Nullable Profile before;
  private @Nullable Profile after;

  /**
   * Finds the rights to the entry before and after a change.
   *
   * @param by the rights of the client
   * @param change the change, with both images
   * @param view moved to its images
   * @param source the values that images lack, in their present state
   * @param facts what rules ask beyond the entry
   * @param pace is asked every so much work
   * @return false if the slice is over: another call with the same change goes on
   * @throws LdapOperationException like {@link EntryRights#of}
   */
  public boolean judge(
      EntryRights by,
      CommittedChange change,
      EntryView view,
      LargeValues.Source source,
      LongPredicate facts,
      Pace pace)
      throws LdapOperationException {
    if (judged != change || rights != by) {
      forget();
      judged = change;
      rights = by;
    }
    boolean isDelete = change.change() instanceof ResolvedChange.Delete;
    if (before == null) {
      EntrySnapshot former = isDelete ? change.image() : change.former();
      before = former == null ? null : of(by, former, view, source, facts, pace);
      if (former != null && before == null) {
        return false;
      }
    }
    if (after == null && !isDelete) {
      EntrySnapshot image = change.image();
      after = image == null ? null : of(by, image, view, source, facts, pace);
      return image == null || after != null;
    }
    return true;
  }

  private static @Nullable Profile of(
      EntryRights by,
      EntrySnapshot image,
      EntryView view,
      LargeValues.Source source,
      LongPredicate facts,
      Pace pace)
      throws LdapOperationException {
    image.show(view);
    view.largeSource(source);
    return by.ofImage(view, image.table(), facts, pace);
  }

  /** Lets go of the change at hand. */
  public void forget() {
    judged = null;
    rights = null;
    before = null;
    after = null;
  }

  /** Returns the rights to the entry before the change; null if there was none. */
  public @Nullable Profile before() {
    return before;
  }

  /** Returns the rights to the entry after the change; null if there is none. */
  public @Nullable Profile after() {
    return after;
  }

  /** Returns whether the client could see the entry before the change. */
  public boolean wasSeen() {
    Profile known = before;
    return known != null && known.allowsEntry(Right.READ);
  }

  /** Returns whether the client can see the entry after the change. */
  public boolean isSeen() {
    Profile known = after;
    return known != null && known.allowsEntry(Right.READ);
  }

  /**
   * The attributes whose changes count for a client.
   *
   * @param tested true for attributes that its filter looks at: it finds out about these if it may
   *     search them
   * @param passedOver true for attributes whose changes do not count for those who read them
   */
  public record Interest(
      Predicate<AttributeDescription> tested, Predicate<AttributeDescription> passedOver) {}

  /**
   * Returns whether the client, who sees the entry before and after, may find out about any of what
   * was changed: a name, values, or what it may find out about them.
   *
   * @param view moved to its images
   * @param interest what counts
   */
  public boolean isTouched(EntryView view, Interest interest) {
    CommittedChange change = judged;
    Profile former = before;
    Profile present = after;
    if (change == null
        || former == null
        || present == null
        || !(change.change() instanceof ResolvedChange.Modify modify)) {
      return true;
    }
    for (AttributeChange each : modify.changes()) {
      AttributeDescription attribute = each.description();
      if (!interest.passedOver().test(attribute) && isSeen(Right.READ, each, change, view)
          || interest.tested().test(attribute) && isSeen(Right.SEARCH, each, change, view)) {
        return true;
      }
    }
    return !present.isSameAs(former)
        && (hasOther(change.former(), view, interest) || hasOther(change.image(), view, interest));
  }

  /** Returns whether an entry has an attribute to which one profile alone has a right. */
  private boolean hasOther(@Nullable EntrySnapshot image, EntryView view, Interest interest) {
    if (image == null) {
      return false;
    }
    image.show(view);
    AttributeTable table = image.table();
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (isOther(Right.READ, table, id)
          || isOther(Right.SEARCH, table, id) && interest.tested().test(table.description(id))) {
        return true;
      }
    }
    return false;
  }

  private boolean isOther(Right right, AttributeTable table, int id) {
    Profile former = before;
    Profile present = after;
    return former == null
        || present == null
        || former.onValues(table, id, right) != present.onValues(table, id, right);
  }

  private boolean isSeen(
      Right right, AttributeChange each, CommittedChange change, EntryView view) {
    Profile former = before;
    Profile present = after;
    return former != null && isSeen(former, right, each, change, view)
        || present != null && isSeen(present, right, each, change, view);
  }

  private boolean isSeen(
      Profile profile, Right right, AttributeChange each, CommittedChange change, EntryView view) {
    AttributeDescription attribute = each.description();
    Answer answer = profile.onValues(attribute, right);
    if (answer != Answer.DEPENDS) {
      return answer == Answer.GRANTED;
    }
    EntryRights by = rights;
    List<byte[]> changed = changed(each, change, view);
    return by == null
        || changed == null
        || changed.size() > MOST_VALUES
        || changed.stream().anyMatch(value -> by.has(profile, right, attribute, value));
  }

  /** Returns the values that an attribute has lost or got; null if they are not known. */
  private static @Nullable List<byte[]> changed(
      AttributeChange each, CommittedChange change, EntryView view) {
    return switch (each) {
      case AttributeChange.Updated updated -> {
        List<byte[]> all = new ArrayList<>(updated.removed());
        all.addAll(updated.added());
        yield all;
      }
      case AttributeChange.Replaced replaced -> {
        List<byte[]> former = former(replaced.description(), change.former(), view);
        yield former == null ? null : different(former, replaced.values());
      }
    };
  }

  private static @Nullable List<byte[]> former(
      AttributeDescription attribute, @Nullable EntrySnapshot image, EntryView view) {
    List<byte[]> values = new ArrayList<>();
    if (image == null) {
      return values;
    }
    ValueCursor cursor = new ValueCursor();
    image.show(view);
    for (int i = 0; i < view.attributeCount(); i++) {
      if (image.table().description(view.attributeId(i)).equals(attribute)) {
        if (view.isApart(i)) {
          return null;
        }
        cursor.open(view, i);
        while (cursor.next()) {
          values.add(cursor.value());
        }
      }
    }
    return values;
  }

  private static List<byte[]> different(List<byte[]> some, List<byte[]> others) {
    Set<byte[]> lost = new TreeSet<>(Arrays::compareUnsigned);
    lost.addAll(some);
    Set<byte[]> got = new TreeSet<>(Arrays::compareUnsigned);
    got.addAll(others);
    got.removeIf(lost::remove);
    List<byte[]> all = new ArrayList<>(lost);
    all.addAll(got);
    return all;
  }
}
