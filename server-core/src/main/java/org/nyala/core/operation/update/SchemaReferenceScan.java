package org.nyala.core.operation.update;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterLimitException;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.Normalizer;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The stored values that name definitions: distinguished names and object identifiers. Their normal
 * form, by which indexes and names have them, must not depend on whether the schema was read before
 * or after it changed.
 *
 * <p>Confined to the writer's thread, for one turn.
 */
final class SchemaReferenceScan {
  /** Candidates and values that are looked at for one change of the schema. */
  private static final int MAXIMUM_EXAMINED = 1_000_000;

  /** The number of names beyond which values are not looked up by them. */
  private static final int MAXIMUM_LOOKED_UP = 256;

  private static final String IDENTIFIER_RULE = "2.5.13.0";
  private static final String DN_RULE = "2.5.13.1";
  private static final Set<String> IDENTIFIER_RULES = Set.of(IDENTIFIER_RULE, "2.5.13.30");
  private static final Set<String> DN_RULES = Set.of(DN_RULE, "2.5.13.23");

  /** The rules, by syntax, that compare the values of an attribute without an equality rule. */
  private static final Map<String, String> RULES_OF_SYNTAXES =
      Map.of(
          "1.3.6.1.4.1.1466.115.121.1.12", DN_RULE,
          "1.3.6.1.4.1.1466.115.121.1.34", "2.5.13.23",
          "1.3.6.1.4.1.1466.115.121.1.38", IDENTIFIER_RULE);

  /**
   * Values of objectClass and structuralObjectClass name classes that are never taken from them.
   */
  private static final Set<String> CLASS_TYPES = Set.of("2.5.4.0", "2.5.21.9");

  private static final String EXTENSIBLE_OBJECT = "1.3.6.1.4.1.1466.101.120.111";

  private final OperationContext directory;
  private final WriteTransaction transaction;
  private final Schema before;
  private final Schema after;
  private final ByteAppender formBefore = new ByteAppender(128);
  private final ByteAppender formAfter = new ByteAppender(128);

  /** The normal forms of one attribute's values by both schemas. */
  private record Forms(Normalizer before, Normalizer after) {}

  SchemaReferenceScan(
      OperationContext directory, WriteTransaction transaction, Schema before, Schema after) {
    this.directory = directory;
    this.transaction = transaction;
    this.before = before;
    this.after = after;
  }

  /**
   * Checks the values whose normal form the change may alter.
   *
   * @throws LdapOperationException unwillingToPerform, with the value, or a message that there are
   *     too many to check
   */
  void check() throws LdapOperationException {
    Set<String> names = otherNames();
    if (isTypeOther()) {
      check(CompiledFilter.Constant.TRUE, forms(null));
    } else if (!names.isEmpty()) {
      for (AttributeType type : identifierTypes()) {
        check(candidates(type, names), forms(type));
      }
    }
  }

  /** Returns whether a type that may stand in a stored name is gone, or has another normal form. */
  private boolean isTypeOther() {
    for (AttributeType known : before.attributeTypes()) {
      AttributeType next = after.attributeType(known.oid());
      if (next == null
          || !next.name().equalsIgnoreCase(known.name())
          || !next.syntax().oid().equals(known.syntax().oid())
          || !ruleOid(next).equals(ruleOid(known))) {
        return true;
      }
      for (String name : known.names()) {
        if (!known.equals(after.attributeType(name))) {
          return true;
        }
      }
    }
    return false;
  }

  private static String ruleOid(AttributeType type) {
    MatchingRule equality = type.equality();
    return equality == null ? "" : equality.oid();
  }

  /** The names, in lower case, that stand for something else or for nothing in one schema. */
  private Set<String> otherNames() {
    Set<String> names = new HashSet<>();
    for (Schema schema : List.of(before, after)) {
      schema.attributeTypes().forEach(type -> addLowerCase(type.names(), names));
      schema.objectClasses().forEach(each -> addLowerCase(each.names(), names));
    }
    Forms forms = formsBy(IDENTIFIER_RULE);
    names.removeIf(name -> !isOther(forms, name.getBytes(StandardCharsets.UTF_8)));
    return names;
  }

  private static void addLowerCase(List<String> names, Set<String> target) {
    names.forEach(name -> target.add(name.toLowerCase(Locale.ROOT)));
  }

  private Forms formsBy(String rule) {
    return new Forms(normalizer(before, rule), normalizer(after, rule));
  }

  private static Normalizer normalizer(Schema schema, String rule) {
    MatchingRule known = schema.matchingRule(rule);
    if (known == null) {
      throw new IllegalStateException("there is no matching rule " + rule);
    }
    return known.valueNormalizer();
  }

  /** The rule by which values of the type name definitions; null if they name none. */
  private static @Nullable String ruleOf(AttributeType type) {
    String equality = ruleOid(type);
    if (CLASS_TYPES.contains(type.oid())) {
      return null;
    }
    return IDENTIFIER_RULES.contains(equality) || DN_RULES.contains(equality)
        ? equality
        : RULES_OF_SYNTAXES.get(type.syntax().oid());
  }

  /** The types with stored values that are object identifiers. */
  private Set<AttributeType> identifierTypes() {
    Set<AttributeType> types = new HashSet<>();
    AttributeTable table = transaction.attributes();
    for (int id = 1; id <= table.size(); id++) {
      AttributeType type = table.description(id).type();
      String rule = ruleOf(type);
      if (rule != null && IDENTIFIER_RULES.contains(rule)) {
        types.add(type);
      }
    }
    return types;
  }

  /**
   * Returns the comparison forms for the values of each attribute number; null for those that name
   * nothing.
   */
  private @Nullable Forms[] forms(@Nullable AttributeType only) {
    AttributeTable table = transaction.attributes();
    @Nullable Forms[] forms = new Forms[table.size() + 1];
    for (int id = 1; id <= table.size(); id++) {
      AttributeType type = table.description(id).type();
      String rule = only == null || only.equals(type) ? ruleOf(type) : null;
      forms[id] = rule == null ? null : formsBy(rule);
    }
    return forms;
  }

  /** Matches every entry that has one of the names as a value of the type. */
  private CompiledFilter candidates(AttributeType type, Set<String> names)
      throws LdapOperationException {
    List<FilterNode> all = new ArrayList<>();
    all.add(new FilterNode.Present(type.oid()));
    List<FilterNode> classes = allowingClasses(type);
    if (!classes.isEmpty()) {
      all.add(new FilterNode.Or(classes));
    }
    if (names.size() <= MAXIMUM_LOOKED_UP) {
      List<FilterNode> values = new ArrayList<>();
      names.forEach(name -> values.add(equality(type.oid(), name)));
      all.add(new FilterNode.Or(values));
    }
    try {
      return directory.reading().filters().compileOwn(new FilterNode.And(all));
    } catch (FilterLimitException _) {
      return CompiledFilter.Constant.TRUE;
    }
  }

  /**
   * Returns the classes whose entries may have the attribute; empty if these are not all such
   * entries.
   */
  private List<FilterNode> allowingClasses(AttributeType type) {
    List<FilterNode> classes = new ArrayList<>();
    if (type.isOperational()) {
      return classes;
    }
    for (ObjectClass each : before.objectClasses()) {
      if (each.may().contains(type)
          || each.must().contains(type)
          || each.oid().equals(EXTENSIBLE_OBJECT)) {
        classes.add(equality("objectClass", each.oid()));
      }
    }
    for (DitContentRule rule : before.contentRules()) {
      if (rule.may().contains(type) || rule.must().contains(type)) {
        classes.add(equality("objectClass", rule.oid()));
      }
    }
    return classes;
  }

  private static FilterNode equality(String attribute, String value) {
    return new FilterNode.Equality(attribute, value.getBytes(StandardCharsets.UTF_8));
  }

  private void check(CompiledFilter filter, @Nullable Forms[] forms) throws LdapOperationException {
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    byte[][] known = new byte[forms.length][];
    Arrays.fill(known, new byte[0]);
    OperationScratch scratch = directory.scratch();
    long values = 0;
    try (EntryCursor cursor = transaction.search(everywhere, ReadTransaction.NO_ENTRY)) {
      while (cursor.examined() + values < MAXIMUM_EXAMINED) {
        int left = (int) (MAXIMUM_EXAMINED - cursor.examined() - values);
        EntryCursor.Step step = cursor.next(scratch.view, left);
        if (step == EntryCursor.Step.END) {
          return;
        }
        if (step == EntryCursor.Step.ENTRY) {
          values += check(scratch, forms, known, MAXIMUM_EXAMINED - values);
        }
      }
    }
    throw new LdapOperationException(
        ResultCode.UNWILLING_TO_PERFORM,
        "stored values may name a definition that the change alters, and checking "
            + "all of them would take too long: more than "
            + MAXIMUM_EXAMINED);
  }

  /* Most entries were created and changed by the same few: a value that is there again is not
   * compared again. */
  private long check(
      OperationScratch scratch, @Nullable Forms[] forms, byte[][] known, long maximum)
      throws LdapOperationException {
    EntryView view = scratch.view;
    long compared = 0;
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      Forms both = forms[id];
      if (both != null) {
        scratch.values.open(view, i);
        while (compared < maximum && scratch.values.next()) {
          byte[] value = scratch.values.value();
          if (!Arrays.equals(value, known[id])) {
            compared++;
            known[id] = value;
            requireSame(both, id, value, view);
          }
        }
      }
    }
    return compared;
  }

  private void requireSame(Forms forms, int attributeId, byte[] value, EntryView view)
      throws LdapOperationException {
    if (isOther(forms, value)) {
      throw new LdapOperationException(
          ResultCode.UNWILLING_TO_PERFORM,
          "a value of "
              + transaction.attributes().description(attributeId)
              + " in the entry '"
              + new String(view.dn(), StandardCharsets.UTF_8)
              + "' names a definition that the change alters");
    }
  }

  private boolean isOther(Forms forms, byte[] value) {
    boolean wasValid = forms.before().normalize(value, 0, value.length, formBefore.clear());
    boolean isValid = forms.after().normalize(value, 0, value.length, formAfter.clear());
    return wasValid != isValid
        || wasValid && !formAfter.contentEquals(formBefore.array(), 0, formBefore.length());
  }
}
