package org.nyala.core.operation.update;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.directory.StructureRules;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rules.EntryRules;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;

/**
 * The check of stored entries whose structural class gets other DIT content rules, name forms or
 * DIT structure rules: entries that obey the schema must still obey it. Entries that violate it
 * already are no obstacle.
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class EntryRuleScan {
  /** Candidates that are looked at for one change of the schema. */
  private static final int MAXIMUM_EXAMINED = 1_000_000;

  private final OperationContext directory;
  private final WriteTransaction transaction;
  private final Schema before;
  private final Schema after;
  private final StructureRules placesAfter;
  private final @Nullable AttributeSelector objectClass;
  private final Set<ObjectClass> ofOtherContent = new HashSet<>();
  private final Set<ObjectClass> ofOtherPlace = new HashSet<>();

  EntryRuleScan(
      OperationContext directory, WriteTransaction transaction, Schema before, Schema after) {
    this.directory = directory;
    this.transaction = transaction;
    this.before = before;
    this.after = after;
    int values = directory.limits().updates().valuesPerAttribute();
    this.placesAfter = new StructureRules(after, new EntryRules(after, values));
    AttributeType type = before.attributeType("objectClass");
    this.objectClass = type == null ? null : new AttributeSelector(AttributeDescription.of(type));
  }

  /**
   * Checks the entries of the classes that get other rules.
   *
   * @throws LdapOperationException unwillingToPerform, telling an entry that breaks the rules, or
   *     that there are too many to look at
   */
  void check() throws LdapOperationException {
    for (ObjectClass each : before.objectClasses()) {
      if (!isSame(before.contentRule(each), after.contentRule(each))) {
        ofOtherContent.add(each);
      }
    }
    if (isOther(DefinitionKind.NAME_FORM) || isOther(DefinitionKind.STRUCTURE_RULE)) {
      for (DitStructureRule rule : after.structureRules()) {
        if (!after.structureRules(rule.form().structuralClass()).isEmpty()) {
          ofOtherPlace.add(rule.form().structuralClass());
        }
      }
    }
    if (!ofOtherContent.isEmpty() || !ofOtherPlace.isEmpty()) {
      scan(candidates());
    }
  }

  private static boolean isSame(@Nullable DitContentRule one, @Nullable DitContentRule other) {
    if (one == null || other == null) {
      return one == other;
    }
    return one.auxiliaries().equals(other.auxiliaries())
        && one.must().equals(other.must())
        && one.may().equals(other.may())
        && one.not().equals(other.not());
  }

  private boolean isOther(DefinitionKind kind) {
    return !described(kind, before).equals(described(kind, after));
  }

  private static Set<String> described(DefinitionKind kind, Schema schema) {
    Set<String> descriptions = new HashSet<>();
    kind.oids(schema).forEach(oid -> descriptions.add(String.valueOf(kind.describe(schema, oid))));
    return descriptions;
  }

  /** Matches every entry of the classes, among others. */
  private CompiledFilter candidates() throws LdapOperationException {
    Set<String> oids = new TreeSet<>();
    ofOtherContent.forEach(each -> oids.add(each.oid()));
    ofOtherPlace.forEach(each -> oids.add(each.oid()));
    List<FilterNode> classes = new ArrayList<>();
    for (String oid : oids) {
      classes.add(new FilterNode.Equality("objectClass", oid.getBytes(StandardCharsets.US_ASCII)));
    }
    try {
      return directory.reading().filters().compileOwn(new FilterNode.Or(classes));
    } catch (FilterLimitException _) {
      return CompiledFilter.Constant.TRUE;
    }
  }

  private void scan(CompiledFilter filter) throws LdapOperationException {
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    OperationScratch scratch = directory.scratch();
    try (EntryCursor cursor = transaction.search(everywhere, ReadTransaction.NO_ENTRY)) {
      while (cursor.examined() < MAXIMUM_EXAMINED) {
        int left = (int) (MAXIMUM_EXAMINED - cursor.examined());
        EntryCursor.Step step = cursor.next(scratch.view, left);
        if (step == EntryCursor.Step.END) {
          return;
        }
        if (step == EntryCursor.Step.ENTRY) {
          check(scratch);
        }
      }
    }
    throw new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM,
        "entries may violate the rules, and checking all of them would take too "
            + "long: more than "
            + MAXIMUM_EXAMINED);
  }

  private void check(OperationScratch scratch) throws LdapOperationException {
    EntryView view = scratch.view;
    AttributeTable table = transaction.attributes();
    List<byte[]> values = ServerSelectors.values(view, table, objectClass, scratch.values);
    ClassSet was = before.classSet(values);
    ObjectClass structural = was.structural();
    if (structural == null) {
      return;
    }
    if (ofOtherContent.contains(structural)) {
      String problem = problem(after.classSet(values), view, table);
      if (!problem.isEmpty() && problem(was, view, table).isEmpty()) {
        throw inUse(structural, "content rule", view, problem);
      }
    }
    if (ofOtherPlace.contains(structural)
        && placesAfter.governing(transaction, view.id()) == null
        && isPlacedWell(structural, view)) {
      throw inUse(structural, "structure rules", view, "none allows it there by its name");
    }
  }

  /** Returns whether the entry obeys the present rules, or there are none for it. */
  private boolean isPlacedWell(ObjectClass structural, EntryView view) {
    return before.structureRules(structural).isEmpty()
        || directory.updating().structureRules().governing(transaction, view.id()) != null;
  }

  /** Returns a description of the fault in the entry's attributes; empty if there is none. */
  private static String problem(ClassSet classes, EntryView view, AttributeTable table) {
    if (!classes.violation().isEmpty()) {
      return classes.violation();
    }
    Set<AttributeType> present = new HashSet<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      AttributeType type = table.description(view.attributeId(i)).type();
      present.add(type);
      if (!classes.allows(type) && !type.flags().collective()) {
        return "it has " + type;
      }
    }
    for (AttributeType type : classes.must()) {
      if (!present.contains(type)) {
        return "it lacks " + type;
      }
    }
    return "";
  }

  private static LdapOperationException inUse(
      ObjectClass structural, String what, EntryView view, String why) {
    return new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM,
        "object class "
            + structural
            + " is in use and its "
            + what
            + " cannot change in this way because of the entry '"
            + new String(view.dn(), StandardCharsets.UTF_8)
            + "': "
            + why);
  }
}
