package org.nyala.core.operation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeRights;
import org.nyala.core.filter.AttributeSelector;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.RestrictedItems;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.operation.values.ComputedValues;
import org.nyala.core.operation.values.EffectivePolicy;
import org.nyala.core.operation.values.GroupNames;
import org.nyala.core.provider.ComputedAttribute;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.MatchingRule;

/**
 * The attribute and the value of a compare, as tests of an entry.
 *
 * <p>Confined to one running operation.
 */
final class ComparedValue {
  private final OperationContext directory;
  private final Request.Compare request;

  ComparedValue(OperationContext directory, Request.Compare request) {
    this.directory = directory;
    this.request = request;
  }

  /**
   * The tests of an entry.
   *
   * @param presence tests if it has the attribute
   * @param assertion tests if it has the value
   */
  record Prepared(EntryMatch presence, EntryMatch assertion) {}

  /**
   * Prepares the tests.
   *
   * @param mayRootSeeAll true if root may see values that are hidden from all others
   * @param profile the client's rights to the entry by access rules; null if there are none
   * @throws LdapOperationException insufficientAccessRights, undefinedAttributeType,
   *     inappropriateMatching or invalidAttributeSyntax
   */
  Prepared prepare(boolean mayRootSeeAll, @Nullable Profile profile, AttributeTable table)
      throws LdapOperationException {
    AttributeDescription attribute = attribute();
    if (profile != null) {
      return prepare(attribute, new ProfileRights(profile, Right.COMPARE, false), table);
    }
    boolean isHidden = !directory.reading().isVisible(attribute.type());
    if (isHidden && !mayRootSeeAll) {
      throw new LdapOperationException(LdapResult.of(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
    }
    EntryMatch assertion = new EntryMatch(isHidden ? hidden(attribute) : assertion(attribute));
    EntryMatch presence =
        new EntryMatch(
            isHidden
                ? new CompiledFilter.Presence(new AttributeSelector(attribute))
                : compile(new FilterNode.Present(request.attribute())));
    return new Prepared(presence, assertion);
  }

  /** Prepares the tests of the attribute, and of those of its subtypes that may be compared. */
  private Prepared prepare(
      AttributeDescription attribute, AttributeRights mayCompare, AttributeTable table)
      throws LdapOperationException {
    CompiledFilter equal;
    CompiledFilter present;
    if (attribute.type().isSecret()) {
      equal = hidden(attribute);
      present = new CompiledFilter.Presence(new AttributeSelector(attribute));
    } else {
      equal = assertion(attribute);
      present = compile(new FilterNode.Present(request.attribute()));
    }
    boolean hasSubtypes = equal instanceof CompiledFilter.ValueItem && !isExact(attribute, table);
    return new Prepared(
        new EntryMatch(hasSubtypes ? RestrictedItems.of(present, mayCompare) : present),
        new EntryMatch(hasSubtypes ? RestrictedItems.of(equal, mayCompare) : equal));
  }

  /** Returns whether entries have no attribute that descends from another. */
  private static boolean isExact(AttributeDescription attribute, AttributeTable table) {
    for (int id = 1; id <= table.size(); id++) {
      AttributeDescription each = table.description(id);
      if (each.isSubtypeOf(attribute) && !each.equals(attribute)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Compares with the password policy that applies to an entry, which need not name one.
   *
   * @param view shows the entry, which does not have the attribute
   */
  ResultCode compareEffective(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    boolean isPolicy = attribute().type().equals(directory.accounts().computedPolicy());
    Dn policy = isPolicy ? EffectivePolicy.of(directory, transaction, view) : null;
    if (policy == null) {
      return ResultCode.NO_SUCH_ATTRIBUTE;
    }
    Dn asserted = directory.scratch().names.parse(new String(request.value(), UTF_8));
    return policy.equals(asserted) ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE;
  }

  /**
   * Returns whether the attribute tells of entries some of which a client may not read, so that it
   * has other values for each client.
   *
   * @param rights the client's rights by access rules; null if there are none
   */
  boolean isOfOthers(@Nullable EntryRights rights) throws LdapOperationException {
    ComputedAttribute computed = directory.reading().providers().of(attribute().type()).computed();
    return rights != null && computed != null && computed.tellsOfOthers() && !rights.mayReadAll();
  }

  /**
   * Compares with the values that the attribute has for a client, which are names.
   *
   * @param groups the groups of the entry, if these are compared
   * @return null if the slice ends before
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups, busy if
   *     there is no memory to find them, invalidAttributeSyntax
   */
  @Nullable ResultCode compareOthers(
      GroupNames groups, @Nullable EntryRights rights, ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    AttributeDescription attribute = attribute();
    ComputedAttribute computed = directory.reading().providers().of(attribute.type()).computed();
    List<byte[]> values =
        computed != null && attribute.options().isEmpty()
            ? ComputedValues.values(computed, groups, rights, transaction, view)
            : List.of();
    if (values == null) {
      return null;
    }
    try {
      Dn asserted = DnParser.parse(directory.schema(), new String(request.value(), UTF_8));
      boolean isThere =
          values.stream()
              .anyMatch(each -> DnParser.parseStored(directory.schema(), each).equals(asserted));
      if (values.isEmpty()) {
        return ResultCode.NO_SUCH_ATTRIBUTE;
      }
      return isThere ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE;
    } catch (InvalidDnException _) {
      throw invalid(attribute);
    }
  }

  /**
   * Returns the attribute.
   *
   * @throws LdapOperationException undefinedAttributeType
   */
  AttributeDescription attribute() throws LdapOperationException {
    AttributeDescription attribute =
        AttributeDescription.parse(directory.schema(), request.attribute());
    if (attribute == null) {
      throw new LdapOperationException(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE, "the attribute type is not known");
    }
    if (attribute.unknownOption(directory.schema().attributeOptions()) != null) {
      throw new LdapOperationException(
          ResultCode.UNDEFINED_ATTRIBUTE_TYPE, "an option of the attribute is not known");
    }
    return attribute;
  }

  private CompiledFilter assertion(AttributeDescription attribute) throws LdapOperationException {
    equality(attribute);
    CompiledFilter assertion =
        compile(new FilterNode.Equality(request.attribute(), request.value()));
    if (assertion == CompiledFilter.Constant.UNDEFINED) {
      throw invalid(attribute);
    }
    return assertion;
  }

  /** Returns a test that filters do not have: of the value as it is stored, hashed or not. */
  private CompiledFilter hidden(AttributeDescription attribute) throws LdapOperationException {
    MatchingRule rule = equality(attribute);
    byte[] value = request.value();
    ByteAppender normalized = new ByteAppender(value.length + 8);
    if (!rule.acceptsAssertion(value)
        || !rule.assertionNormalizer().normalize(value, 0, value.length, normalized)) {
      throw invalid(attribute);
    }
    return new CompiledFilter.ValueItem(
        new AttributeSelector(attribute),
        CompiledFilter.ValueItem.Comparison.EQUALITY,
        rule,
        normalized.toByteArray());
  }

  private static MatchingRule equality(AttributeDescription attribute)
      throws LdapOperationException {
    MatchingRule rule = attribute.type().equality();
    if (rule == null) {
      throw new LdapOperationException(
          ResultCode.INAPPROPRIATE_MATCHING, attribute + " has no equality rule");
    }
    return rule;
  }

  private static LdapOperationException invalid(AttributeDescription attribute) {
    return new LdapOperationException(
        ResultCode.INVALID_ATTRIBUTE_SYNTAX, "the value is not valid for " + attribute);
  }

  private CompiledFilter compile(FilterNode item) throws LdapOperationException {
    return AssertionControl.compileAtOnce(directory.reading(), item);
  }
}
