package org.nyala.core.operation.list;

import static org.nyala.core.entry.QuotedText.quoted;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ValueOrder;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.control.SortKeys;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.RuleApplicability;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.search.SearchRights;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * An order of entries (RFC 2891), as bytes: entries are ordered as their {@linkplain #append keys}
 * are, taken as unsigned numbers, and those with the same key by entry id.
 *
 * <p>Confined to one running operation.
 *
 * <p>For each sort key, an entry's key has
 *
 * <pre>
 *   01  v  00 00   the smallest value in normal form, each 00 written as 00 FF; or the first
 *                  {@value ValueOrder#COMPARED_BYTES} bytes of that, and nothing behind
 *   02             there is no value
 * </pre>
 *
 * <p>with every bit inverted where the order is reversed: what has no value comes last, or first.
 */
final class SortOrder {
  /** Sort keys of one request; each costs as much as a sort by itself. */
  static final int MAXIMUM_KEYS = 8;

  /**
   * The values of one entry that are considered if they are kept apart because there are very many.
   */
  private static final int MAXIMUM_LARGE_VALUES = 4096;

  /** The bytes of a value that cost as much as a test: 2 to the power of this. */
  private static final int LENGTH_SHIFT = 5;

  private static final int PRESENT = 1;
  private static final int MISSING = 2;

  private record Key(AttributeSelector attribute, MatchingRule rule, boolean reverse) {}

  private final List<Key> keys;

  /** True if values are left out by rights. */
  private final boolean isGuarded;

  private final ValueCursor cursor = new ValueCursor();
  private byte[] source = new byte[256];
  private ByteAppender candidate = new ByteAppender(256);
  private ByteAppender least = new ByteAppender(256);
  private long tests;

  private SortOrder(List<Key> keys, boolean isGuarded) {
    this.isGuarded = isGuarded;
    this.keys = List.copyOf(keys);
  }

  /**
   * Resolves the keys named by a client.
   *
   * @param rights the client's part of the search by access rules: values that it may not search
   *     are no values; null if there are no rules
   * @throws SortFailure with the key by which entries cannot be sorted
   */
  static SortOrder of(ReadServices reading, SortKeys request, @Nullable SearchRights rights)
      throws SortFailure {
    if (request.keys().size() > MAXIMUM_KEYS) {
      throw new SortFailure(
          ResultCode.ADMIN_LIMIT_EXCEEDED, null, "more than " + MAXIMUM_KEYS + " sort keys");
    }
    List<Key> keys = new ArrayList<>(request.keys().size());
    Set<AttributeDescription> seen = new HashSet<>();
    boolean isGuarded = false;
    for (SortKeys.Key key : request.keys()) {
      AttributeDescription description = description(reading, key.attribute(), rights);
      if (!seen.add(description)) {
        throw new SortFailure(
            ResultCode.UNWILLING_TO_PERFORM,
            key.attribute(),
            "sort key " + quoted(key.attribute()) + " came more than once");
      }
      MatchingRule rule = rule(reading.schema(), description.type(), key);
      AttributeSelector attribute =
          new AttributeSelector(description).showing(reading.visibility());
      keys.add(new Key(attribute, rule, key.reverse()));
      isGuarded |= rights != null && !rights.maySearchAll(description);
    }
    return new SortOrder(keys, isGuarded);
  }

  private static AttributeDescription description(
      ReadServices reading, String name, @Nullable SearchRights rights) throws SortFailure {
    AttributeDescription description = AttributeDescription.parse(reading.schema(), name);
    if (description == null
        || !reading.isVisible(description.type())
        || rights != null && !rights.maySearchSome(description)) {
      throw new SortFailure(
          ResultCode.NO_SUCH_ATTRIBUTE, name, "sort key " + quoted(name) + " is not known");
    }
    if (!reading.providers().of(description.type()).allows(AttributeProviders.Use.SORTED)) {
      throw new SortFailure(
          ResultCode.UNWILLING_TO_PERFORM,
          name,
          "sort key " + quoted(name) + " is not stored in all entries that have it");
    }
    return description;
  }

  /**
   * Returns the requested ordering rule, else the attribute's own, else its equality rule, whose
   * normal forms of text, numbers and times are ordered as these are: the usual naming attributes
   * have no ordering rule.
   */
  private static MatchingRule rule(Schema schema, AttributeType type, SortKeys.Key key)
      throws SortFailure {
    String name = key.rule();
    MatchingRule rule = name == null ? type.ordering() : schema.matchingRule(name);
    if (rule == null && name == null) {
      rule = type.equality();
    }
    if (rule == null || !RuleApplicability.applies(rule, type) || !isOrder(rule)) {
      throw new SortFailure(
          ResultCode.INAPPROPRIATE_MATCHING,
          key.attribute(),
          "no order of " + key.attribute() + (name == null ? "" : " by " + name));
    }
    return rule;
  }

  private static boolean isOrder(MatchingRule rule) {
    return switch (rule.use()) {
      case ORDERING -> true;
      case EQUALITY -> rule.comparesBytes() && rule.valueNormalizer() == rule.assertionNormalizer();
      case SUBSTRINGS -> false;
    };
  }

  /** Returns whether the greatest value of the first key comes first. */
  boolean isReverse() {
    return keys.getFirst().reverse();
  }

  /**
   * Walks an index that has the whole order; null if there is none.
   *
   * @param position the position of a former walk; empty at first
   */
  @Nullable ValueOrder index(ReadTransaction transaction, byte[] position) {
    Key key = keys.getFirst();
    return keys.size() > 1 || isGuarded
        ? null
        : transaction.valueOrder(key.attribute(), key.rule(), position);
  }

  /** Returns the amount of work done, counted as tests of a filter are. */
  long tests() {
    return tests;
  }

  /** Returns whether keys are of values that the client may search, and take rights to entries. */
  boolean isGuarded() {
    return isGuarded;
  }

  /**
   * Appends the key of an entry.
   *
   * @param searchable the attributes whose values the client may search, by their numbers; null for
   *     none, which counts if the order {@linkplain #isGuarded is guarded}
   */
  void append(
      ReadTransaction transaction,
      EntryView entry,
      boolean @Nullable [] searchable,
      ByteAppender target) {
    for (int i = 0; i < keys.size(); i++) {
      Key key = keys.get(i);
      boolean isAny = !isGuarded || searchable != null;
      if (isAny && findLeast(transaction, entry, key, searchable)) {
        appendPresent(least.array(), least.length(), key.reverse(), target);
      } else {
        target.append(key.reverse() ? ~MISSING : MISSING);
      }
    }
  }

  /**
   * Appends the key that comes no later than those of entries whose first value is not before an
   * assertion.
   *
   * @return false if the assertion is not valid for the rule
   */
  boolean appendBound(byte[] assertion, ByteAppender target) {
    Key key = keys.getFirst();
    if (!key.rule()
        .assertionNormalizer()
        .normalize(assertion, 0, assertion.length, candidate.clear())) {
      return false;
    }
    appendPresent(candidate.array(), candidate.length(), key.reverse(), target);
    return true;
  }

  private static void appendPresent(
      byte[] value, int length, boolean reverse, ByteAppender target) {
    int inversion = reverse ? 0xff : 0;
    target.append(PRESENT ^ inversion);
    int left = ValueOrder.COMPARED_BYTES;
    for (int i = 0; i < length && left > 0; i++) {
      target.append(value[i] ^ inversion);
      left--;
      if (value[i] == 0 && left > 0) {
        target.append(0xff ^ inversion);
        left--;
      }
    }
    if (left > 0) {
      target.append(inversion).append(inversion);
    }
  }

  /** Finds the smallest value of an entry; false if it has none that the rule knows. */
  private boolean findLeast(
      ReadTransaction transaction, EntryView entry, Key key, boolean @Nullable [] searchable) {
    AttributeTable table = transaction.attributes();
    boolean found = false;
    for (int i = 0; i < entry.attributeCount(); i++) {
      int id = entry.attributeId(i);
      if (key.attribute().selects(table, id) && (searchable == null || searchable[id])) {
        found = leastOf(entry, i, key.rule(), found);
      }
    }
    return found;
  }

  private boolean leastOf(EntryView entry, int index, MatchingRule rule, boolean foundBefore) {
    boolean found = foundBefore;
    boolean isLarge = (entry.flags() & EntryRecord.LARGE) != 0;
    LargeValues apart = isLarge ? entry.largeValues(index) : null;
    if (apart != null) {
      for (int i = 0; i < MAXIMUM_LARGE_VALUES && apart.next(); i++) {
        byte[] value = apart.value();
        found |= isLeast(value, value.length, rule, found);
      }
      return found;
    }
    cursor.open(entry, index);
    while (cursor.next()) {
      int length = cursor.length();
      if (source.length < length) {
        source = new byte[Math.max(length, 2 * source.length)];
      }
      cursor.buffer().get(cursor.start(), source, 0, length);
      found |= isLeast(source, length, rule, found);
    }
    return found;
  }

  /** Keeps a value if it is the smallest so far. */
  private boolean isLeast(byte[] value, int length, MatchingRule rule, boolean hasOther) {
    tests += 1 + (length >> LENGTH_SHIFT);
    if (!rule.valueNormalizer().normalize(value, 0, length, candidate.clear())) {
      return false;
    }
    boolean isLess =
        !hasOther
            || Arrays.compareUnsigned(
                    candidate.array(), 0, candidate.length(), least.array(), 0, least.length())
                < 0;
    if (isLess) {
      ByteAppender other = least;
      least = candidate;
      candidate = other;
    }
    return isLess;
  }
}
