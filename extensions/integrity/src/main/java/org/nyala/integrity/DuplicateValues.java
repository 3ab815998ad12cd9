package org.nyala.integrity;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.entry.ValuePosition;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.integrity.References;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Finds stored entries that a {@link UniquenessRule} would not let in, in the order of their ids:
 * each that has a value of an entry before it. Entries are compared by equality indexes; what is
 * kept in memory is bounded.
 *
 * <p>Confined to one running operation, and to one transaction.
 */
public final class DuplicateValues {
  /** Values whose first holders are remembered. */
  private static final int REMEMBERED = 4096;

  /** The length up to which values are remembered. */
  private static final int REMEMBERED_BYTES = 512;

  private final Schema schema;
  private final ReadTransaction transaction;
  private final List<UniquenessRule.Constraint> constraints;
  private final LongPredicate leftOut;
  private final References references;
  private final ValueCursor values = new ValueCursor();
  private final Map<Key, Long> holders =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Long> eldest) {
          return size() > REMEMBERED;
        }
      };

  /** A value that a constraint wants unique. Immutable. */
  private record Key(UniquenessRule.Constraint constraint, AttributeType type, byte[] value) {
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Key key
          && constraint == key.constraint
          && type.equals(key.type)
          && Arrays.equals(value, key.value);
    }

    @Override
    public int hashCode() {
      return 31 * type.hashCode() + Arrays.hashCode(value);
    }
  }

  /**
   * A value that an entry shares with one before it.
   *
   * <p>Immutable.
   *
   * @param description the attribute of the entry
   * @param value the value as it is stored
   * @param holder the id of the first entry that has it
   */
  public record Duplicate(AttributeDescription description, byte[] value, long holder) {}

  /**
   * Prepares to examine entries.
   *
   * @param leftOut true for the ids of entries whose values do not count
   */
  public DuplicateValues(
      ReadTransaction transaction,
      Schema schema,
      List<UniquenessRule.Constraint> constraints,
      LongPredicate leftOut) {
    this.schema = schema;
    this.transaction = transaction;
    this.constraints = List.copyOf(constraints);
    this.leftOut = leftOut;
    this.references = new References(transaction, schema, 1, Pace.UNBOUNDED);
  }

  /**
   * Returns the values of an entry that one before it has: of each constraint and attribute the
   * first one.
   */
  public List<Duplicate> find(EntryView entry) {
    List<Duplicate> all = List.of();
    for (UniquenessRule.Constraint constraint : constraints) {
      if (isAmong(constraint, entry)) {
        for (AttributeSelector attribute : constraint.attributes()) {
          Duplicate found = find(constraint, attribute, entry);
          if (found != null) {
            all = all.isEmpty() ? new ArrayList<>(1) : all;
            all.add(found);
          }
        }
      }
    }
    return all;
  }

  private @Nullable Duplicate find(
      UniquenessRule.Constraint constraint, AttributeSelector attribute, EntryView entry) {
    boolean isLarge = (entry.flags() & EntryRecord.LARGE) != 0;
    for (int i = 0; i < entry.attributeCount(); i++) {
      if (attribute.selects(transaction.attributes(), entry.attributeId(i))) {
        values.open(entry, i);
        while (values.next()) {
          byte[] value = values.value();
          ValuePosition position = isLarge ? values.position(entry) : null;
          long holder = holder(constraint, attribute, value, entry.id());
          if (position != null) {
            // A look at the large values of another entry has moved those of the transaction.
            values.open(entry, i, position).next();
          }
          if (holder < entry.id()) {
            return new Duplicate(
                transaction.attributes().description(entry.attributeId(i)), value, holder);
          }
        }
      }
    }
    return null;
  }

  /** Returns the first entry that has a value: the given one, which has it, or one before. */
  private long holder(
      UniquenessRule.Constraint constraint, AttributeSelector attribute, byte[] value, long id) {
    MatchingRule rule = attribute.description().type().equality();
    ByteAppender normalized = new ByteAppender(value.length + 8);
    if (rule == null || !rule.assertionNormalizer().normalize(value, 0, value.length, normalized)) {
      return id;
    }
    Key key = new Key(constraint, attribute.description().type(), normalized.toByteArray());
    Long known = holders.get(key);
    if (known == null || leftOut.test(known)) {
      long[] first = {id};
      references.visit(
          References.test(attribute, key.value),
          known == null ? 0 : known,
          other -> {
            if (other.id() < id && (leftOut.test(other.id()) || !isAmong(constraint, other))) {
              return true;
            }
            first[0] = Math.min(id, other.id());
            return false;
          });
      known = first[0];
      if (key.value.length <= REMEMBERED_BYTES) {
        holders.put(key, known);
      }
    }
    return known;
  }

  private boolean isAmong(UniquenessRule.Constraint constraint, EntryView entry) {
    if (constraint.base() != null && !constraint.covers(references.nameOf(entry))) {
      return false;
    }
    return constraint.filter() == null
        || new FilterMatcher(schema, _ -> true)
                .match(constraint.filter(), entry, transaction.attributes(), references)
            == Ternary.TRUE;
  }
}
