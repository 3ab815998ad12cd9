package org.nyala.core.access.decide;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Group;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.ClassResults;
import org.nyala.core.filter.Pace;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.Rights;
import org.nyala.core.schema.Schema;

/**
 * Finds a client's rights to one entry after the other.
 *
 * <p>Confined to one running operation. Hot: an entry with the same parent as the one before costs
 * a comparison, if rules treat all entries below the parent alike; if they name single ones, its
 * own RDN is normalised without allocating. Work that may take long is done in slices.
 */
public final class EntryAccess {
  /**
   * The memberships in groups whose names depend on the entry asked for: {@code group
   * "cn={u},ou=deputies,dc=example,dc=com"}.
   *
   * <p>Confined to one running operation.
   */
  @FunctionalInterface
  public interface CapturedGroups {
    /**
     * Returns whether a user is a member of a group.
     *
     * @param user the user's name
     * @param name the name of the group
     * @param group the kind of group; its own name has captures and is not meant
     * @param pace is asked every so much work
     * @return null if the slice is over: another call with the same question goes on
     */
    @Nullable Boolean isMember(Dn user, Dn name, Group group, Pace pace);
  }

  /** The number of parents that are known at a time, a power of two. */
  private static final int PARENTS = 256;

  /** The answers about attributes that take as long as a test: 2 to the power of this. */
  private static final int ANSWERS_SHIFT = 4;

  /** The id of no parent: entries at the top of a naming context have it as theirs. */
  private static final long NO_PARENT = 0;

  private final DecidedRules rules;
  private final CapturedGroups groups;
  private final OwnRdn own;
  private @Nullable EntryChecks checks;
  private @Nullable KnownParent @Nullable [] parents;
  private @Nullable ValueQuestion question;
  private long lastParent = NO_PARENT;
  private @Nullable Region lastRegion;
  private int slice;
  private long answerTests;
  private @Nullable RuledProfile lastProfile;
  private boolean isOfEntryAlone;

  /** A parent whose children's region is known. */
  private static final class KnownParent {
    final long id;
    final byte[] dn;
    final Region region;
    int slice;

    KnownParent(long id, byte[] dn, Region region) {
      this.id = id;
      this.dn = dn;
      this.region = region;
    }
  }

  /**
   * Begins with the first entry.
   *
   * @param rules the rules for the client
   * @param groups answers for groups whose names depend on the entry
   */
  public EntryAccess(DecidedRules rules, CapturedGroups groups) {
    this.rules = rules;
    this.groups = groups;
    this.own = new OwnRdn(rules.compiled().schema());
  }

  /**
   * Begins a slice: entries may have other names now. To be called whenever a transaction is
   * opened, before the first entry of it.
   */
  public void beginSlice() {
    slice++;
    lastParent = NO_PARENT;
  }

  /** The schema by which rules were read. */
  public Schema schema() {
    return rules.compiled().schema();
  }

  /** Returns the attributes that a filter tests, as {@link CompiledRules#kinds} does. */
  public Set<AttributeDescription> kinds(
      AttributeTable table, AttributeDescription tested, LongConsumer work) {
    return rules.compiled().kinds(table, tested, work);
  }

  /** The work done in tests of entries, in the unit of {@code FilterMatcher.tests}. */
  public long tests() {
    EntryChecks made = checks;
    return answerTests + (made == null ? 0 : made.tests());
  }

  /**
   * Returns whether the rights to the entry that was asked for last follow from its name and its
   * object classes, and from no other entry.
   */
  public boolean isOfEntryAlone() {
    return isOfEntryAlone;
  }

  /** Returns whether the entry changes more often than it can be tested. */
  public boolean isHopeless() {
    EntryChecks made = checks;
    return made != null && made.isHopeless();
  }

  /**
   * Returns the client's rights to an entry.
   *
   * @param entry the entry
   * @param table the numbers of its attributes
   * @param facts what filters ask beyond the entry, as for {@code FilterMatcher}
   * @param pace is asked every so much work
   * @return null if the slice is over: another call with the same entry goes on
   */
  public @Nullable RuledProfile profile(
      EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    isOfEntryAlone = true;
    long parent = entry.parentId();
    Region known = lastRegion;
    if (known == null || parent != lastParent || parent == NO_PARENT) {
      if (parent == NO_PARENT) {
        return ofTop(entry, table, facts, pace);
      }
      known = region(entry, parent);
    }
    RuledProfile all = known.profile();
    return all != null ? all : counted(tested(known, entry, table, facts, pace), table);
  }

  /**
   * Counts the answers about attributes that another profile than before may have to give: entries
   * of as many profiles as there are take time for all attributes of the table.
   */
  private @Nullable RuledProfile counted(@Nullable RuledProfile found, AttributeTable table) {
    if (found != null && found != lastProfile) {
      lastProfile = found;
      answerTests += table.size() >> ANSWERS_SHIFT;
    }
    return found;
  }

  /**
   * Returns the client's rights to an entry that does not exist, such as one that is asked for in
   * vain: no filter matches it.
   *
   * @return null if the slice is over: another call with the same name goes on
   */
  public @Nullable RuledProfile profile(Dn name, Pace pace) {
    own.turnTo(name);
    Node node = node(name);
    return node instanceof RuledProfile profile
        ? profile
        : checks().go(node, null, AttributeTable.EMPTY, _ -> false, pace);
  }

  /**
   * Returns the client's rights to a value, as {@link Rights}. If the answer does not {@linkplain
   * Answer#DEPENDS depend} on values, this costs a look-up; else the value is normalised.
   *
   * @param profile the client's rights to the entry
   * @param attribute the attribute of the value
   * @param source the buffer that holds the value; not written to
   * @param start the index at which it begins
   * @param length its length in bytes
   */
  public int rights(
      RuledProfile profile,
      AttributeDescription attribute,
      ByteBuffer source,
      int start,
      int length) {
    ValueQuestion asked = question;
    if (asked == null) {
      asked = profile.newQuestion();
      question = asked;
    }
    return profile.rights(attribute, asked, source, start, length);
  }

  private EntryChecks checks() {
    EntryChecks known = checks;
    if (known == null) {
      known = new EntryChecks(rules, groups, own);
      checks = known;
    }
    return known;
  }

  private @Nullable RuledProfile tested(
      Region region, EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    own.turnTo(entry);
    Node node = region.hasExceptions() ? region.at(own.bytes(), own.length()) : region.common();
    return go(node, entry, table, facts, pace);
  }

  /** Makes the tests of an entry; those of classes that entries had last take no memory. */
  private @Nullable RuledProfile go(
      Node from, EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    Node node = from;
    while (node instanceof Fork fork && fork.check() instanceof EntryCheck.Matches test) {
      ClassResults classes = rules.classResults(test.filter());
      Boolean known = classes == null ? null : classes.of(entry, table);
      if (known == null) {
        break;
      }
      node = fork.after(known);
    }
    if (node instanceof RuledProfile profile) {
      return profile;
    }
    isOfEntryAlone = false;
    return checks().go(node, entry, table, facts, pace);
  }

  /** An entry at the top of a naming context: the RDN in its record is its whole name. */
  private @Nullable RuledProfile ofTop(
      EntryView entry, AttributeTable table, LongPredicate facts, Pace pace) {
    return go(rules.itself(entry.dn(), own), entry, table, facts, pace);
  }

  private Node node(Dn name) {
    if (name.rdnCount() == 0) {
      return rules.region(null).common();
    }
    return rules.region(name.parent()).at(own.bytes(), own.length());
  }

  private Region region(EntryView entry, long parent) {
    Region region = lastRegion;
    if (region == null && parents == null) {
      region = rules.regionBelow(entry.parentDn());
    } else {
      region = known(entry, parent).region;
    }
    lastParent = parent;
    lastRegion = region;
    return region;
  }

  /** Further parents are remembered by their ids. */
  private KnownParent known(EntryView entry, long parent) {
    @Nullable KnownParent[] all = parents;
    if (all == null) {
      all = new @Nullable KnownParent[PARENTS];
      parents = all;
    }
    int place = (int) (parent ^ parent >>> 16) & PARENTS - 1;
    KnownParent known = all[place];
    if (known == null || known.id != parent || !isStillNamed(known, entry)) {
      byte[] dn = entry.parentDn();
      known = new KnownParent(parent, dn.clone(), rules.regionBelow(dn));
      all[place] = known;
    }
    known.slice = slice;
    return known;
  }

  /** Returns whether a parent has the name that it had in a former slice. */
  private boolean isStillNamed(KnownParent parent, EntryView entry) {
    return parent.slice == slice || Arrays.equals(parent.dn, entry.parentDn());
  }
}
