package org.nyala.core.operation.update;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.DefinitionKind;
import org.nyala.core.schema.load.ExtendedSchema;

/**
 * Checks whether stored entries prevent a change of schema: they must be read, compared and found
 * by it as before, and stay allowed.
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class SchemaUsageCheck {
  /** Candidates that are looked at for one object class; an index makes them few. */
  private static final int MAXIMUM_CANDIDATES = 100_000;

  private final OperationContext directory;
  private final WriteTransaction transaction;
  private final ExtendedSchema before;
  private final Schema after;

  SchemaUsageCheck(
      OperationContext directory,
      WriteTransaction transaction,
      ExtendedSchema before,
      ExtendedSchema after) {
    this.directory = directory;
    this.transaction = transaction;
    this.before = before;
    this.after = after.schema();
  }

  /**
   * Checks every attribute that was ever stored, the object classes that change, the entries that
   * get other rules, and the values that name definitions.
   *
   * @throws LdapOperationException unwillingToPerform, with the definition in use
   */
  void check() throws LdapOperationException {
    AttributeTable table = transaction.attributes();
    for (int id = 1; id <= table.size(); id++) {
      check(table.description(id).type());
    }
    for (String oid : DefinitionKind.OBJECT_CLASS.oids(before.schema())) {
      ObjectClass known = before.schema().objectClass(oid);
      if (known != null && isNarrower(known, after.objectClass(oid)) && isUsed(known)) {
        throw inUse("object class " + known.name(), "entries belong to it");
      }
    }
    new EntryRuleScan(directory, transaction, before.schema(), after).check();
    new SchemaReferenceScan(directory, transaction, before.schema(), after).check();
  }

  private void check(AttributeType stored) throws LdapOperationException {
    AttributeType known = before.schema().attributeType(stored.oid());
    AttributeType next = after.attributeType(stored.oid());
    if (known != null && (next == null || !isCompatible(known, next))) {
      throw inUse("attribute type " + known.name(), "the store has held values of it");
    }
  }

  private static LdapOperationException inUse(String what, String why) {
    return new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM,
        what + " is in use and can neither be deleted nor changed in this way: " + why);
  }

  /* The first name stands in the normal form of names, and in records. */
  private static boolean isCompatible(AttributeType known, AttributeType next) {
    boolean isTighter =
        next.flags().singleValue() && !known.flags().singleValue()
            || next.flags().collective() != known.flags().collective();
    return !isTighter
        && next.name().equals(known.name())
        && next.usage() == known.usage()
        && next.syntax().oid().equals(known.syntax().oid())
        && isSame(next.equality(), known.equality())
        && isSame(next.ordering(), known.ordering())
        && isSame(next.substrings(), known.substrings())
        && Objects.equals(next.superior(), known.superior())
        && lowerCase(next.names()).containsAll(lowerCase(known.names()));
  }

  private static boolean isSame(@Nullable MatchingRule one, @Nullable MatchingRule other) {
    return one == null ? other == null : other != null && one.oid().equals(other.oid());
  }

  private static Set<String> lowerCase(List<String> names) {
    Set<String> lower = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    lower.addAll(names);
    return lower;
  }

  /** Returns whether existing entries of the class might no longer be allowed. */
  private static boolean isNarrower(ObjectClass known, @Nullable ObjectClass next) {
    if (next == null || next.kind() != known.kind()) {
      return true;
    }
    Set<AttributeType> allowed = new HashSet<>(next.may());
    allowed.addAll(next.must());
    return !Set.copyOf(known.superiors()).equals(Set.copyOf(next.superiors()))
        || !known.must().containsAll(next.must())
        || !allowed.containsAll(known.must())
        || !allowed.containsAll(known.may())
        || !lowerCase(next.names()).containsAll(lowerCase(known.names()));
  }

  private boolean isUsed(ObjectClass objectClass) throws LdapOperationException {
    byte[] oid = objectClass.oid().getBytes(StandardCharsets.US_ASCII);
    CompiledFilter filter;
    try {
      filter =
          directory.reading().filters().compileOwn(new FilterNode.Equality("objectClass", oid));
    } catch (FilterLimitException e) {
      throw new LdapOperationException(ResultCode.ADMIN_LIMIT_EXCEEDED, "filter limits");
    }
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    OperationScratch scratch = directory.scratch();
    try (EntryCursor cursor = transaction.search(everywhere, ReadTransaction.NO_ENTRY)) {
      while (cursor.examined() < MAXIMUM_CANDIDATES) {
        EntryCursor.Step step = cursor.next(scratch.view, MAXIMUM_CANDIDATES);
        if (step == EntryCursor.Step.END) {
          return false;
        }
        if (step == EntryCursor.Step.ENTRY && (cursor.isExact() || matches(scratch, filter))) {
          return true;
        }
      }
    }
    throw inUse(
        "object class " + objectClass.name(),
        "without an index of objectClass too many entries would have to be examined");
  }

  private boolean matches(OperationScratch scratch, CompiledFilter filter) {
    return scratch.matcher.match(
            filter, scratch.view, transaction.attributes(), id -> transaction.hasSubordinates(id))
        == Ternary.TRUE;
  }
}
