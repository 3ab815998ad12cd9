package org.nyala.constraint;

import static org.nyala.core.rules.UpdateErrors.refusal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.constraint.ConfiguredRule.Constraint;
import org.nyala.constraint.ConfiguredRule.ValueCheck;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.integrity.ChangeCause;
import org.nyala.core.integrity.ChangeRule;
import org.nyala.core.integrity.ChangedEntry;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.Schema;
import org.nyala.extension.Hooks;

/**
 * Keeps the values of attributes to the configured constraints.
 *
 * <p>Checks what a change adds to an entry that a constraint is about after the change, and the
 * whole entry if the constraint was not about it before. Values stored earlier are left alone, and
 * so are entries below one that is moved. Suspended if the rules are relaxed, by whoever may.
 *
 * <p>Immutable; used by the writer's thread, and by others for {@link #faults}.
 */
public final class ConstraintRule implements ChangeRule, Hooks.Examination {
  private final Schema schema;
  private final List<Constraint> constraints;
  private final LongAdder refused;

  /** The constraints that a change to a type may break, by their numbers. */
  private final Map<AttributeType, BitSet> byType = new HashMap<>();

  /**
   * Creates the rule.
   *
   * @param refused counts the changes that it refuses
   */
  ConstraintRule(Schema schema, List<Constraint> constraints, LongAdder refused) {
    this.schema = schema;
    this.refused = refused;
    this.constraints = List.copyOf(constraints);
    for (AttributeType type : schema.attributeTypes()) {
      BitSet dependent = new BitSet();
      for (int i = 0; i < constraints.size(); i++) {
        dependent.set(i, constraints.get(i).dependsOn(type));
      }
      if (!dependent.isEmpty()) {
        byType.put(type, dependent);
      }
    }
  }

  @Override
  public void check(
      ReadTransaction transaction,
      ResolvedChange change,
      ChangeCause cause,
      List<ResolvedChange.Modify> derived,
      Pace pace)
      throws LdapOperationException {
    if (cause.relaxed()) {
      return;
    }
    switch (change) {
      case ResolvedChange.Add add -> {
        for (String fault : faults(add.entry(), transaction, pace, 1)) {
          refuse(fault, pace);
        }
      }
      case ResolvedChange.Modify modify -> {
        BitSet dependent = new BitSet();
        modify.changes().forEach(each -> addDependent(each.description(), dependent));
        if (!dependent.isEmpty()) {
          new Check(transaction, modify.dn(), modify.dn(), modify.changes(), pace)
              .check(modify.entryId(), dependent);
        }
      }
      case ResolvedChange.Rename rename -> {
        BitSet all = new BitSet();
        all.set(0, constraints.size());
        new Check(transaction, rename.dn(), rename.newDn(), rename.changes(), pace)
            .check(rename.entryId(), all);
      }
      case ResolvedChange.Delete _ -> {}
    }
  }

  /** Refuses the change, unless the pace has ended: then the fault may be none. */
  private void refuse(String fault, Pace pace) throws LdapOperationException {
    if (pace.goesOn()) {
      refused.increment();
      throw refusal(ResultCode.CONSTRAINT_VIOLATION, fault);
    }
  }

  private void addDependent(AttributeDescription description, BitSet dependent) {
    BitSet those = byType.get(description.type());
    if (those != null) {
      dependent.or(those);
    }
  }

  /**
   * Checks one entry that does not come with a change: one to import, or one that is stored.
   *
   * @param state the entries in which values are looked up; null to check what needs none
   * @param pace counted down with the work; once it ends, not all faults are found
   * @return a sentence for each constraint and attribute that it does not keep to, without values
   */
  @Override
  public List<String> faults(Entry entry, @Nullable ReadTransaction state, Pace pace) {
    return faults(entry, state, pace, Integer.MAX_VALUE);
  }

  private List<String> faults(Entry entry, @Nullable ReadTransaction state, Pace pace, int atMost) {
    BitSet dependent = new BitSet();
    entry.descriptions().forEach(each -> addDependent(each, dependent));
    List<String> faults = new ArrayList<>(0);
    for (int i = dependent.nextSetBit(0); i >= 0; i = dependent.nextSetBit(i + 1)) {
      Constraint constraint = constraints.get(i);
      if (!constraint.covers(entry.dn()) || !isAbout(constraint, entry, pace)) {
        continue;
      }
      for (AttributeDescription attribute : constraint.attributes()) {
        List<byte[]> values = values(entry, attribute);
        String fault =
            values.size() > constraint.maximumValues()
                ? constraint.tooMany(attribute)
                : fault(constraint, attribute, values, state, pace);
        if (fault != null && pace.goesOn()) {
          faults.add(fault);
        }
        if (faults.size() == atMost) {
          return faults;
        }
      }
    }
    return faults;
  }

  private static List<byte[]> values(Entry entry, AttributeDescription attribute) {
    List<byte[]> values = new ArrayList<>();
    for (AttributeDescription each : entry.descriptions()) {
      List<byte[]> those = each.isSubtypeOf(attribute) ? entry.values(each) : null;
      if (those != null) {
        values.addAll(those);
      }
    }
    return values;
  }

  /** Returns whether a constraint is about an entry, by the attributes that its filter tests. */
  private boolean isAbout(Constraint constraint, Entry entry, Pace pace) {
    CompiledFilter filter = constraint.filter();
    if (filter == null) {
      return true;
    }
    Entry tested = new Entry(entry.dn());
    for (AttributeDescription each : entry.descriptions()) {
      List<byte[]> values = constraint.tests(each.type()) ? entry.values(each) : null;
      for (int i = 0; values != null && i < values.size() && pace.goesOn(); i++) {
        tested.add(each, values.get(i));
      }
    }
    return ChangedEntry.matches(schema, filter, tested);
  }

  private static @Nullable String fault(
      Constraint constraint,
      AttributeDescription attribute,
      List<byte[]> values,
      @Nullable ReadTransaction state,
      Pace pace) {
    for (ValueCheck check : constraint.checks()) {
      for (byte[] value : values) {
        if (!check.allows(value, state, pace)) {
          return check.fault(attribute.toString());
        }
      }
    }
    return null;
  }

  /** The check of one change to a stored entry; confined to the writer's thread. */
  private final class Check {
    private final ReadTransaction transaction;
    private final Dn before;
    private final Dn after;
    private final List<AttributeChange> changes;
    private final Pace pace;
    private final EntryView view = new EntryView();

    Check(
        ReadTransaction transaction,
        Dn before,
        Dn after,
        List<AttributeChange> changes,
        Pace pace) {
      this.transaction = transaction;
      this.before = before;
      this.after = after;
      this.changes = changes;
      this.pace = pace;
    }

    void check(long entryId, BitSet dependent) throws LdapOperationException {
      if (!transaction.read(entryId, view)) {
        throw new IllegalStateException("entry " + entryId + " has gone");
      }
      ChangedValues values = new ChangedValues(transaction, view, changes, pace);
      for (int i = dependent.nextSetBit(0); i >= 0; i = dependent.nextSetBit(i + 1)) {
        Constraint constraint = constraints.get(i);
        if (constraint.covers(after) && isAboutChanged(constraint, values)) {
          require(constraint, values, wasAbout(constraint));
        }
      }
    }

    private void require(Constraint constraint, ChangedValues values, boolean wasAbout)
        throws LdapOperationException {
      for (AttributeDescription attribute : constraint.attributes()) {
        if (constraint.maximumValues() != Integer.MAX_VALUE) {
          long count = values.countAfter(attribute);
          if (count > constraint.maximumValues()
              && (!wasAbout || count > values.countBefore(attribute))) {
            refuse(constraint.tooMany(attribute), pace);
          }
        }
        if (!constraint.checks().isEmpty()) {
          List<byte[]> checked = wasAbout ? values.added(attribute) : values.after(attribute);
          String fault = fault(constraint, attribute, checked, transaction, pace);
          if (fault != null) {
            refuse(fault, pace);
          }
        }
      }
    }

    private boolean isAboutChanged(Constraint constraint, ChangedValues values) {
      CompiledFilter filter = constraint.filter();
      boolean isTestedAsBefore =
          before.equals(after)
              && changes.stream().noneMatch(each -> constraint.tests(each.description().type()));
      if (filter != null && isTestedAsBefore) {
        return wasAbout(constraint);
      }
      return filter == null
          || ChangedEntry.matches(schema, filter, values.after(after, constraint::tests));
    }

    private boolean wasAbout(Constraint constraint) {
      CompiledFilter filter = constraint.filter();
      return constraint.covers(before)
          && (filter == null
              || new FilterMatcher(schema, _ -> true)
                      .match(
                          filter,
                          view,
                          transaction.attributes(),
                          new References(transaction, schema, 1, pace))
                  == Ternary.TRUE);
    }
  }

  /**
   * The values of a stored entry as a change leaves them. Counts values that are kept apart without
   * reading them.
   *
   * <p>Confined to the writer's thread, while a view shows the entry.
   */
  private static final class ChangedValues {
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
     * Returns the entry after the change, with the attributes of some types alone; what is read
     * until the pace ends.
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
}
