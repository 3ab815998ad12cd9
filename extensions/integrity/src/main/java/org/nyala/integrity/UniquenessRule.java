package org.nyala.integrity;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryRecord;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.LargeValues;
import org.nyala.core.entry.ValueCursor;
import org.nyala.core.filter.AttributeSelector;
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
import org.nyala.core.message.Scope;
import org.nyala.core.rules.ValueSet;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Schema;

/**
 * Keeps the values of attributes unique: no two entries have the same value, by the attribute's
 * equality rule. Each attribute stands for itself: a value of one may be a value of another one.
 *
 * <p>Checked when entries are added, modified, renamed, or moved into its scope, against the state
 * to which the change is applied. Suspended if root relaxes the rules. Values stored before the
 * rule existed are left alone.
 *
 * <p>Immutable.
 */
public final class UniquenessRule implements ChangeRule {
  /** Moved entries that are kept in memory at once. */
  private static final int BATCH = 1024;

  private final Schema schema;
  private final List<Constraint> constraints;

  /**
   * The attributes to keep unique, and the entries among which they are.
   *
   * <p>Immutable.
   *
   * @param attributes the attributes, each by itself; each should have an equality index
   * @param base the entries at and below this name; null for all
   * @param filter the entries that match this; null for all. Of an attribute with so many values
   *     that they are kept apart, it sees no values in the entry that is changed
   */
  public record Constraint(
      List<AttributeSelector> attributes, @Nullable Dn base, @Nullable CompiledFilter filter) {
    public Constraint {
      attributes = List.copyOf(attributes);
    }

    /** Constrains the given attributes. */
    public static Constraint of(
        List<AttributeType> types, @Nullable Dn base, @Nullable CompiledFilter filter) {
      List<AttributeSelector> selectors =
          types.stream().map(type -> new AttributeSelector(AttributeDescription.of(type))).toList();
      return new Constraint(selectors, base, filter);
    }

    boolean covers(Dn name) {
      return base == null || name.isWithin(base);
    }
  }

  public UniquenessRule(Schema schema, List<Constraint> constraints) {
    this.schema = schema;
    this.constraints = List.copyOf(constraints);
  }

  @Override
  public void check(
      ReadTransaction transaction,
      ResolvedChange change,
      ChangeCause cause,
      List<ResolvedChange.Modify> derived,
      Pace pace)
      throws LdapOperationException {
    boolean isRelaxed = cause.relaxed() && cause.identity().isRootOfAll();
    if (isRelaxed || change instanceof ResolvedChange.Delete) {
      return;
    }
    for (Constraint constraint : constraints) {
      References references = new References(transaction, schema, 1, pace);
      Check check = new Check(schema, references, transaction, constraint, change, cause);
      switch (change) {
        case ResolvedChange.Add add -> check.add(add);
        case ResolvedChange.Modify modify ->
            check.change(modify.dn(), modify.dn(), modify.entryId(), modify.changes());
        case ResolvedChange.Rename rename -> {
          check.change(rename.dn(), rename.newDn(), rename.entryId(), rename.changes());
          check.moveBelow(rename);
        }
        case ResolvedChange.Delete _ -> {}
      }
    }
  }

  /** The check of one change by one constraint; confined to the writer's thread. */
  private record Check(
      Schema schema,
      References references,
      ReadTransaction transaction,
      Constraint constraint,
      ResolvedChange change,
      ChangeCause cause) {
    void add(ResolvedChange.Add add) throws LdapOperationException {
      Entry entry = add.entry();
      if (constraint.covers(entry.dn()) && matches(entry)) {
        requireUnique(entry, ReadTransaction.NO_ENTRY);
      }
    }

    /*
     * Values that the entry already has are checked only if the constraint did not hold for it
     * before.
     */
    void change(Dn before, Dn after, long id, List<AttributeChange> changes)
        throws LdapOperationException {
      if (!constraint.covers(after)) {
        return;
      }
      boolean wasCovered = constraint.covers(before);
      if (wasCovered && constraint.filter() == null && !touches(changes)) {
        return;
      }
      EntryView view = new EntryView();
      if (!transaction.read(id, view)) {
        throw new IllegalStateException("entry " + id + " has gone");
      }
      boolean matched = wasCovered && matches(view);
      if (!matched || constraint.filter() != null) {
        Entry changed = ChangedEntry.of(transaction, view, after, changes);
        if (!matches(changed)) {
          return;
        }
        if (!matched) {
          requireUnique(changed, id);
          return;
        }
      }
      requireNewUnique(new StoredValues(transaction, view), changes, id);
    }

    private boolean touches(List<AttributeChange> changes) {
      for (AttributeChange each : changes) {
        for (AttributeSelector attribute : constraint.attributes()) {
          if (each.description().isSubtypeOf(attribute.description())) {
            return true;
          }
        }
      }
      return false;
    }

    private void requireNewUnique(StoredValues held, List<AttributeChange> changes, long id)
        throws LdapOperationException {
      for (AttributeChange each : changes) {
        for (AttributeSelector attribute : constraint.attributes()) {
          if (each.description().isSubtypeOf(attribute.description())) {
            for (byte[] value : added(held, attribute, each)) {
              requireUnique(attribute, each.description(), value, id);
            }
          }
        }
      }
    }

    private static List<byte[]> added(
        StoredValues held, AttributeSelector attribute, AttributeChange each) {
      return switch (each) {
        case AttributeChange.Replaced replaced -> held.without(attribute, replaced.values());
        case AttributeChange.Updated updated -> updated.added();
      };
    }

    /** Checks the entries that a rename moves into the scope of the constraint. */
    void moveBelow(ResolvedChange.Rename rename) throws LdapOperationException {
      Dn base = constraint.base();
      boolean cannotEnter =
          base == null
              || rename.dn().isWithin(base)
              || (!rename.newDn().isWithin(base) && !base.isWithin(rename.newDn()));
      if (cannotEnter || !transaction.hasSubordinates(rename.entryId())) {
        return;
      }
      SearchSpec below =
          new SearchSpec(
              rename.entryId(), Scope.SUBORDINATE, CompiledFilter.Constant.TRUE, false, false);
      List<Entry> entered = new ArrayList<>();
      List<Long> ids = new ArrayList<>();
      long[] last = new long[1];
      int[] seen = new int[1];
      do {
        entered.clear();
        ids.clear();
        seen[0] = 0;
        references.visit(
            below,
            last[0],
            entry -> {
              last[0] = entry.id();
              Dn before = references.nameOf(entry);
              Dn after = Names.moved(schema, before, rename.dn(), rename.newDn());
              if (constraint.covers(after) && !constraint.covers(before)) {
                entered.add(ChangedEntry.of(transaction, entry, after, List.of()));
                ids.add(entry.id());
              }
              seen[0]++;
              return seen[0] < BATCH;
            });
        for (int i = 0; i < entered.size(); i++) {
          if (matches(entered.get(i))) {
            requireUnique(entered.get(i), ids.get(i));
          }
        }
      } while (seen[0] == BATCH);
    }

    private boolean matches(EntryView view) {
      CompiledFilter filter = constraint.filter();
      return filter == null
          || new FilterMatcher(schema, _ -> true)
                  .match(filter, view, transaction.attributes(), references)
              == Ternary.TRUE;
    }

    private boolean matches(Entry entry) {
      CompiledFilter filter = constraint.filter();
      return filter == null || ChangedEntry.matches(schema, filter, entry);
    }

    private void requireUnique(Entry entry, long id) throws LdapOperationException {
      for (AttributeDescription description : entry.descriptions()) {
        List<byte[]> values = entry.values(description);
        requireUnique(description, values == null ? List.of() : values, id);
      }
    }

    private void requireUnique(AttributeDescription description, List<byte[]> values, long id)
        throws LdapOperationException {
      for (AttributeSelector attribute : constraint.attributes()) {
        if (description.isSubtypeOf(attribute.description())) {
          for (byte[] value : values) {
            requireUnique(attribute, description, value, id);
          }
        }
      }
    }

    private void requireUnique(
        AttributeSelector attribute, AttributeDescription description, byte[] value, long id)
        throws LdapOperationException {
      MatchingRule rule = attribute.description().type().equality();
      ByteAppender normalized = new ByteAppender(value.length + 8);
      if (rule == null
          || !rule.assertionNormalizer().normalize(value, 0, value.length, normalized)) {
        return;
      }
      List<Dn> others = new ArrayList<>(0);
      references.visit(
          References.test(attribute, normalized.toByteArray()),
          0,
          other -> {
            if (other.id() != id && isAmong(other) && !isRelaxedFor(other)) {
              others.add(references.nameOf(other));
            }
            return others.isEmpty();
          });
      if (!others.isEmpty()) {
        throw refusal(
            ResultCode.CONSTRAINT_VIOLATION, message(description, value, others.getFirst()));
      }
    }

    private String message(AttributeDescription description, byte[] value, Dn other) {
      if (cause.isRuled()) {
        return "values of " + description + " are to be unique";
      }
      String message =
          "another entry has the value " + quoted(description.type(), value) + " of " + description;
      return cause.identity().isRootOf(other) ? message + ": " + other : message;
    }

    /** Returns whether root of some naming contexts relaxes the rule for another entry there. */
    private boolean isRelaxedFor(EntryView other) {
      return cause.relaxed() && cause.identity().isRootOf(references.nameOf(other));
    }

    /** Returns whether the constraint holds for another entry, as it is named after the change. */
    private boolean isAmong(EntryView other) {
      if (constraint.base() != null) {
        Dn name = references.nameOf(other);
        Dn after =
            change instanceof ResolvedChange.Rename rename
                ? Names.moved(schema, name, rename.dn(), rename.newDn())
                : name;
        if (!constraint.covers(after)) {
          return false;
        }
      }
      return matches(other);
    }
  }

  /**
   * The values of an entry before a change, to distinguish the values that the change adds.
   *
   * <p>Confined to the writer's thread, while a view shows the entry.
   */
  private static final class StoredValues {
    private final ReadTransaction transaction;
    private final EntryView view;
    private final boolean mayBeApart;

    StoredValues(ReadTransaction transaction, EntryView view) {
      this.transaction = transaction;
      this.view = view;
      this.mayBeApart = (view.flags() & EntryRecord.LARGE) != 0;
    }

    /** Returns the values, of those given, that the entry has in no selected attribute. */
    List<byte[]> without(AttributeSelector attribute, List<byte[]> values) {
      if (values.isEmpty()) {
        return values;
      }
      ValueSet held = new ValueSet(attribute.description().type());
      List<Integer> apart = new ArrayList<>(0);
      ValueCursor cursor = new ValueCursor();
      for (int i = 0; i < view.attributeCount(); i++) {
        if (!isSelected(attribute, i)) {
          continue;
        }
        if (mayBeApart && transaction.largeValues(view, i) != null) {
          apart.add(i);
        } else {
          cursor.open(view, i);
          while (cursor.next()) {
            held.add(cursor.value());
          }
        }
      }
      List<byte[]> others = new ArrayList<>(values.size());
      for (byte[] value : values) {
        if (!held.contains(value) && !isAmong(apart, value)) {
          others.add(value);
        }
      }
      return others;
    }

    private boolean isSelected(AttributeSelector attribute, int index) {
      AttributeDescription description =
          transaction.attributes().description(view.attributeId(index));
      return description.isSubtypeOf(attribute.description());
    }

    private boolean isAmong(List<Integer> apart, byte[] value) {
      for (int index : apart) {
        LargeValues large = transaction.largeValues(view, index);
        if (large != null && large.contains(value)) {
          return true;
        }
      }
      return false;
    }
  }
}
