package org.nyala.core.operation.values;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.directory.DynamicEntries;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.ComputedAttributes;
import org.nyala.core.filter.Membership;
import org.nyala.core.integrity.References;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.DitStructureRule;

/** Computes the requested attributes that no store holds. */
public final class ComputedValues {
  private ComputedValues() {}

  /**
   * Returns whether a search requests any.
   *
   * @param asked the attributes that are requested
   * @param manageDsaIt true if a policy that applies is not shown as if it were stored
   */
  public static boolean areSelected(
      ReadServices reading, AttributeSelection asked, boolean manageDsaIt) {
    ComputedAttributes types = reading.computed();
    return selects(asked, types.entryDn())
        || selects(asked, types.hasSubordinates())
        || selects(asked, types.numSubordinates())
        || selects(asked, types.subschemaSubentry())
        || selects(asked, types.entryTtl())
        || selects(asked, types.governingStructureRule())
        || selects(asked, types.contextCsn())
        || !manageDsaIt && selects(asked, reading.effectivePolicy())
        || selectsMemberOf(reading.membership(), asked);
  }

  /**
   * The selected ones for an entry, each a whole BER {@code PartialAttribute}.
   *
   * @param rights the rights of the client, who is not told of groups that it may not read; null if
   *     there are no access rules
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups
   */
  public static List<byte[]> of(
      OperationContext directory,
      AttributeSelection selection,
      @Nullable EntryRights rights,
      ReadTransaction transaction,
      EntryView view)
      throws LdapOperationException {
    ComputedAttributes types = directory.reading().computed();
    List<byte[]> attributes = new ArrayList<>(3);
    add(selection, types.entryDn(), view.dn(), attributes);
    add(selection, types.subschemaSubentry(), utf8(ComputedAttributes.SUBSCHEMA_DN), attributes);
    if (selects(selection, types.hasSubordinates())) {
      boolean has = transaction.hasSubordinates(view.id());
      add(selection, types.hasSubordinates(), utf8(has ? "TRUE" : "FALSE"), attributes);
    }
    if (selects(selection, types.numSubordinates())) {
      long count = transaction.subordinateCount(view.id());
      add(selection, types.numSubordinates(), utf8(Long.toString(count)), attributes);
    }
    if (selects(selection, types.entryTtl())) {
      long second = directory.dynamic().expirySecond(view, transaction.attributes());
      if (second != DynamicEntries.NO_EXPIRY) {
        String seconds = Long.toString(directory.dynamic().remainingSeconds(second));
        add(selection, types.entryTtl(), utf8(seconds), attributes);
      }
    }
    if (selects(selection, types.governingStructureRule())) {
      DitStructureRule rule =
          directory.updating().structureRules().governing(transaction, view.id());
      if (rule != null) {
        byte[] number = utf8(Integer.toString(rule.ruleId()));
        add(selection, types.governingStructureRule(), number, attributes);
      }
    }
    addContextCsns(types.contextCsn(), selection, transaction, view, attributes);
    addPolicy(directory, selection, transaction, view, attributes);
    Membership membership = directory.reading().membership();
    if (membership != null && selects(selection, membership.memberOf())) {
      List<byte[]> groups = new ArrayList<>();
      for (Dn group : memberOf(directory, rights, transaction, view)) {
        groups.add(group.raw());
      }
      if (!groups.isEmpty()) {
        attributes.add(
            PartialAttributes.encode(
                utf8(membership.memberOf().name()), selection.typesOnly() ? List.of() : groups));
      }
    }
    return attributes;
  }

  /** Adds the changes that a naming context has to the entry at its top. */
  private static void addContextCsns(
      @Nullable AttributeType type,
      AttributeSelection selection,
      ReadTransaction transaction,
      EntryView view,
      List<byte[]> attributes) {
    if (type == null || view.parentId() != ReadTransaction.NO_ENTRY || !selects(selection, type)) {
      return;
    }
    List<byte[]> values = new ArrayList<>();
    for (Csn csn : transaction.contextCsns(view.id()).csns()) {
      values.add(utf8(csn.toString()));
    }
    if (!values.isEmpty()) {
      attributes.add(
          PartialAttributes.encode(utf8(type.name()), selection.typesOnly() ? List.of() : values));
    }
  }

  /** Adds the policy that applies to an entry with a password which names none. */
  private static void addPolicy(
      OperationContext directory,
      AttributeSelection selection,
      ReadTransaction transaction,
      EntryView view,
      List<byte[]> attributes) {
    AttributeType type = directory.reading().effectivePolicy();
    if (selects(selection, type)) {
      Dn policy = EffectivePolicy.of(directory, transaction, view);
      if (policy != null) {
        add(selection, type, policy.raw(), attributes);
      }
    }
  }

  /**
   * The names of the groups of an entry; none if {@code memberOf} is not computed.
   *
   * @param rights the rights of the client, who is not told of groups that it may not read; null if
   *     there are no access rules
   * @throws LdapOperationException adminLimitExceeded if the entry is in too many groups
   */
  public static List<Dn> memberOf(
      OperationContext directory,
      @Nullable EntryRights rights,
      ReadTransaction transaction,
      EntryView view)
      throws LdapOperationException {
    Membership membership = directory.reading().membership();
    if (membership == null) {
      return List.of();
    }
    References references = directory.reading().references(transaction);
    Map<Long, Dn> referrers =
        references.referrers(
            membership.groupAttributes(), references.nameOf(view), membership.nested());
    List<Dn> groups = new ArrayList<>(referrers.size());
    for (Map.Entry<Long, Dn> group : referrers.entrySet()) {
      if (rights == null || rights.mayRead(transaction, group.getKey())) {
        groups.add(group.getValue());
      }
    }
    StoredEntryFacts.requireComplete(directory.reading(), references);
    return groups;
  }

  private static boolean selectsMemberOf(
      @Nullable Membership membership, AttributeSelection asked) {
    return membership != null && selects(asked, membership.memberOf());
  }

  private static boolean selects(AttributeSelection selection, @Nullable AttributeType type) {
    return type != null && selection.selects(AttributeDescription.of(type));
  }

  private static void add(
      AttributeSelection selection,
      @Nullable AttributeType type,
      byte[] value,
      List<byte[]> attributes) {
    if (type != null && selects(selection, type)) {
      List<byte[]> values = selection.typesOnly() ? List.of() : List.of(value);
      attributes.add(PartialAttributes.encode(utf8(type.name()), values));
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
